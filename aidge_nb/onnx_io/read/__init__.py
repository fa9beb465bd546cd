"""Read the bytes of an ONNX file into a checked model of plain data."""
