"""Run the whole program and its libraries on failing disks and network shares."""
