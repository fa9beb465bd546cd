# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.compat.operators.chance import RandomNormalLike
from aidge_nb.compat.operators.gated import SConv2DLSTM
from aidge_nb.compat.operators.gated import SLSTM
from aidge_nb.compat.operators.images import ConnectedComponentLabeling
from aidge_nb.compat.operators.images import DropBlock
from aidge_nb.compat.operators.images import GridSample
from aidge_nb.compat.operators.images import NonMaxSuppression
from aidge_nb.compat.operators.integer_functions import SDLayerNorm
from aidge_nb.compat.operators.integer_functions import SDShiftGELU
from aidge_nb.compat.operators.integer_functions import SDShiftSiLU
from aidge_nb.compat.operators.integer_functions import SDShiftmax
from aidge_nb.compat.operators.packing import WeightInterleaving
from aidge_nb.compat.operators.padded import PaddedConvTranspose1D
from aidge_nb.compat.operators.padded import PaddedConvTranspose2D
from aidge_nb.compat.operators.padded import PaddedConvTranspose3D
from aidge_nb.compat.operators.regression import SVMRegressor
from aidge_nb.compat.operators.rounded import CGPACT
from aidge_nb.compat.operators.rounded import DoReFa
from aidge_nb.compat.operators.rounded import DoReFaMode
from aidge_nb.compat.operators.rounded import FixedQ
from aidge_nb.compat.operators.rounded import LSQ
from aidge_nb.compat.operators.rounded import ScaleAdjust
from aidge_nb.compat.operators.rounded import TanhClamp
from aidge_nb.compat.operators.scaling import Dequantizer
from aidge_nb.compat.operators.scaling import Quantizer
from aidge_nb.compat.operators.signal import ComplexToInnerPair
from aidge_nb.compat.operators.signal import DFT
from aidge_nb.compat.operators.signal import HannWindow
from aidge_nb.compat.operators.signal import InnerPairToComplex
from aidge_nb.compat.operators.signal import STFT
from aidge_nb.compat.operators.spiking import Cusum
from aidge_nb.compat.operators.spiking import RLeaky
from aidge_nb.compat.operators.spiking import RSynaptic
from aidge_nb.compat.operators.spiking import SpikGRU
from aidge_nb.compat.operators.spiking import Synaptic

__all__ = [
    "ComplexToInnerPair",
    "DFT",
    "HannWindow",
    "InnerPairToComplex",
    "STFT",
    "SDLayerNorm",
    "SDShiftGELU",
    "SDShiftSiLU",
    "SDShiftmax",
    "ConnectedComponentLabeling",
    "DropBlock",
    "GridSample",
    "NonMaxSuppression",
    "WeightInterleaving",
    "SVMRegressor",
    "RandomNormalLike",
    "PaddedConvTranspose1D",
    "PaddedConvTranspose2D",
    "PaddedConvTranspose3D",
    "CGPACT",
    "DoReFa",
    "DoReFaMode",
    "FixedQ",
    "LSQ",
    "ScaleAdjust",
    "TanhClamp",
    "Cusum",
    "RLeaky",
    "RSynaptic",
    "SpikGRU",
    "Synaptic",
    "SConv2DLSTM",
    "SLSTM",
    "Dequantizer",
    "Quantizer",
]
