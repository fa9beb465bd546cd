"""The exact arithmetic: what every bit of a result is, for NumPy and for the C kernels.

The fast kernels (``cpu``) leave the order of additions to a BLAS and functions such as exp to
NumPy, so that their last bits depend on the machine. These kernels define them:

Numbers
    float32 of IEEE 754, rounded to nearest even. Each operation is rounded by itself: a product
    and a sum are never fused. Subnormal numbers are kept. NaN is NaN, whatever its payload.
Products of matrices, convolutions
    A sum starts at the bias, or at +0. Its terms are added one after the other, each product
    rounded first: by input channel, then depth, row and column of the kernel; by k for matrices.
    Taps that fall outside of the input are skipped.
Sums, means, denominators
    Start at +0, terms in the order in which they are stored.
Larger and smaller
    NaN if one of the two is NaN; of equal ones (-0 equals +0) the first.
Functions
    Square root and division are those of IEEE 754. exp, tanh, erf, ln, powers, sin and their kin
    are made of + - × / and operations on bits, written twice, here and in C, with the same
    constants in the same order; they are within 2.5 units in the last place, tan within 3.3.
Integers
    Wrap around, as two's complement does. Where a floating-point number does not fit an integer,
    the nearest one is taken, and 0 for NaN.

Nothing depends on how many results are computed side by side, so kernels may do that as they like;
within one result nothing is reordered. Operators that only move data or compute with integers or
single IEEE operations are defined already: they share the kernels of ``cpu``
(:mod:`~aidge_nb.kernels.exact.shared` names them one by one).
"""
