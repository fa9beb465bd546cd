"""From the bytes of an ONNX file to a checked model as plain data."""
