"""Convert TensorFlow Lite operators to operators of ONNX and to those that round alike."""
