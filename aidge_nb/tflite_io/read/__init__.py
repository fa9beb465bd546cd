"""Read TensorFlow Lite files as plain data."""
