"""Commands that measure images and scans."""
