"""Image files and regions of images."""
