/* SPDX-License-Identifier: MIT-0 */
#include "nb_compare.h"

#define NB_DEFINE_COMPARE(SUFFIX, TYPE, WIDE)                            \
    NB_BINARY_PLAIN(nb_equal_##SUFFIX, TYPE, uint8_t, u == v)            \
    NB_BINARY_PLAIN(nb_greater_##SUFFIX, TYPE, uint8_t, u > v)           \
    NB_BINARY_PLAIN(nb_greater_or_equal_##SUFFIX, TYPE, uint8_t, u >= v) \
    NB_BINARY_PLAIN(nb_less_##SUFFIX, TYPE, uint8_t, u < v)              \
    NB_BINARY_PLAIN(nb_less_or_equal_##SUFFIX, TYPE, uint8_t, u <= v)

NB_DEFINE_COMPARE(f32, float, float)
NB_INTEGERS(NB_DEFINE_COMPARE)
