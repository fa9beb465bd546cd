"""Decode and encode the protobuf messages of ONNX files, with NumPy alone."""
