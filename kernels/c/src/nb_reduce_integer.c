/* SPDX-License-Identifier: MIT-0 */
#include "nb_reduce_integer.h"

#define NB_REDUCE_INTEGERS(SUFFIX, TYPE, WIDE)                                             \
    NB_FOLD_PLAIN(nb_reduce_sum_##SUFFIX, TYPE, uint64_t, 0u, total + (uint64_t)v, total)  \
    NB_FOLD_PLAIN(nb_reduce_prod_##SUFFIX, TYPE, uint64_t, 1u, total * (uint64_t)v, total) \
    NB_FOLD_PLAIN(nb_reduce_sum_square_##SUFFIX, TYPE, uint64_t, 0u,                       \
            total + (uint64_t)v * (uint64_t)v, total)

#define NB_REDUCE_EXTREMES(SUFFIX, TYPE, LEAST, LARGEST)                                   \
    NB_FOLD_PLAIN(nb_reduce_max_##SUFFIX, TYPE, TYPE, LEAST, total < v ? v : total, total) \
    NB_FOLD_PLAIN(nb_reduce_min_##SUFFIX, TYPE, TYPE, LARGEST, total > v ? v : total, total)

#define NB_REDUCE_L1(SUFFIX, TYPE, WIDE)                     \
    NB_FOLD_PLAIN(nb_reduce_l1_##SUFFIX, TYPE, uint64_t, 0u, \
            v < 0 ? total - (uint64_t)v : total + (uint64_t)v, total)

NB_INTEGERS(NB_REDUCE_INTEGERS)
NB_SIGNED(NB_REDUCE_L1)
NB_FOLD_PLAIN(nb_reduce_l1_u8, uint8_t, uint64_t, 0u, total + v, total)
NB_REDUCE_EXTREMES(i8, int8_t, INT8_MIN, INT8_MAX)
NB_REDUCE_EXTREMES(u8, uint8_t, 0u, UINT8_MAX)
NB_REDUCE_EXTREMES(i32, int32_t, INT32_MIN, INT32_MAX)
NB_REDUCE_EXTREMES(i64, int64_t, INT64_MIN, INT64_MAX)
