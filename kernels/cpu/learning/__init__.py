"""Classical machine learning (ai.onnx.ml) and losses."""
