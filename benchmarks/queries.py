"""The five queries of seed 003 on a vision transformer: fusing against loading the model."""

from common import code, compare, show

LOAD = """
import time
from aidge_nb import load_onnx, zoo
model = load_onnx(zoo.dinov2_like())
"""
QUERIES = """
from aidge_nb import fuse_to_metaops
queries = {
    "Linear": "MatMul-*>Add",
    "LayerNorm": "ReduceMean-*>Sub#1~>(Pow#1->ReduceMean-*>Add#1->Sqrt)-*>Div#1-*>Mul#1-*>Add#2;"
    "Sub#1~*>Div#1;Pow#1<1~Producer;Add#1<*~Producer;Mul#1<*~Producer;Add#2<*~Producer;Sub#1~>$",
    "ScaledDotProductAttention": "MatMul->Div#1->Softmax-*>MatMul;Div#1<1~Producer",
    "MultiHeadAttention": "ScaledDotProductAttention#1->Transpose->Reshape#1->Linear;"
    "Reshape#1<1~Producer;ScaledDotProductAttention#1<0-(Transpose<-Reshape#2<-Add#1);"
    "ScaledDotProductAttention#1<1-(Transpose<-Reshape#3<-Add#2);"
    "ScaledDotProductAttention#1<2-(Transpose<-Reshape#4<-Add#3);Reshape#2<1~Producer;"
    "Add#1<*-0-Split#1;Add#2<*-1-Split#1;Add#3<*-2-Split#1;Split#1<-MatMul;Split#1<1~Producer",
    "GeLU": "Div#1->Erf->Add#1-*>Mul->Mul#2;Div#1<1~Producer;Add#1<*~Producer;Mul#2<*~Producer",
}
"""
FUSE = "counts = [fuse_to_metaops(model, query, kind) for kind, query in queries.items()]\n"
CHECK = "assert counts == [36, 25, 12, 12, 12], counts\n"
RESTART = "_start = time.perf_counter()\n"


def main() -> None:
    """Measure and print."""
    fused = code("five fusions", LOAD + QUERIES + RESTART + FUSE + CHECK)
    loaded = code("load_onnx of the same model", LOAD.replace("model =", RESTART + "model ="))
    show(compare("queries", fused, loaded, limit=1.0))


if __name__ == "__main__":
    main()
