# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.compat.operators.chance import RandomNormalLike
from aidge_nb.compat.operators.images import ConnectedComponentLabeling
from aidge_nb.compat.operators.images import DropBlock
from aidge_nb.compat.operators.images import GridSample
from aidge_nb.compat.operators.images import NonMaxSuppression
from aidge_nb.compat.operators.regression import SVMRegressor
from aidge_nb.compat.operators.scaling import Dequantizer
from aidge_nb.compat.operators.scaling import Quantizer
from aidge_nb.compat.operators.signal import ComplexToInnerPair
from aidge_nb.compat.operators.signal import DFT
from aidge_nb.compat.operators.signal import HannWindow
from aidge_nb.compat.operators.signal import InnerPairToComplex
from aidge_nb.compat.operators.signal import STFT

__all__ = [
    "ComplexToInnerPair",
    "DFT",
    "HannWindow",
    "InnerPairToComplex",
    "STFT",
    "ConnectedComponentLabeling",
    "DropBlock",
    "GridSample",
    "NonMaxSuppression",
    "SVMRegressor",
    "RandomNormalLike",
    "Dequantizer",
    "Quantizer",
]
