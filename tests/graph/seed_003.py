"""The five queries of seed 003, by the name of what they find."""

from __future__ import annotations

LAYER_NORM = (
    "ReduceMean-*>Sub#1~>(Pow#1->ReduceMean-*>Add#1->Sqrt)-*>Div#1-*>Mul#1-*>Add#2;"
    "Sub#1~*>Div#1;"
    "Pow#1<1~Producer;"
    "Add#1<*~Producer;"
    "Mul#1<*~Producer;"
    "Add#2<*~Producer;"
    "Sub#1~>$"
)
ATTENTION = "MatMul->Div#1->Softmax-*>MatMul;Div#1<1~Producer"
MULTI_HEAD = (
    "ScaledDotProductAttention#1->Transpose->Reshape#1->Linear;"
    "Reshape#1<1~Producer;"
    "ScaledDotProductAttention#1<0-(Transpose<-Reshape#2<-Add#1);"
    "ScaledDotProductAttention#1<1-(Transpose<-Reshape#3<-Add#2);"
    "ScaledDotProductAttention#1<2-(Transpose<-Reshape#4<-Add#3);"
    "Reshape#2<1~Producer;"
    "Add#1<*-0-Split#1;"
    "Add#2<*-1-Split#1;"
    "Add#3<*-2-Split#1;"
    "Split#1<-MatMul;"
    "Split#1<1~Producer"
)
GELU = "Div#1->Erf->Add#1-*>Mul->Mul#2;Div#1<1~Producer;Add#1<*~Producer;Mul#2<*~Producer"
SEED_003 = {
    "Linear": "MatMul-*>Add",
    "LayerNorm": LAYER_NORM,
    "ScaledDotProductAttention": ATTENTION,
    "MultiHeadAttention": MULTI_HEAD,
    "GeLU": GELU,
}
