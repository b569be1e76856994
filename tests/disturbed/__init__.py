"""Failing disks and network shares under the whole program and its libraries."""
