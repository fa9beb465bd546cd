/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_reduce_integer: sums, products and extremes of integers along some axes; they wrap around.
 */
#ifndef NB_REDUCE_INTEGER_H
#define NB_REDUCE_INTEGER_H

#include "nb_fold.h"
#include "nb_types.h"

#define NB_DECLARE_REDUCE(SUFFIX, TYPE, WIDE)                                             \
    void nb_reduce_sum_##SUFFIX(const nb_reduce_config *config, const TYPE *x, TYPE *y);  \
    void nb_reduce_prod_##SUFFIX(const nb_reduce_config *config, const TYPE *x, TYPE *y); \
    void nb_reduce_max_##SUFFIX(const nb_reduce_config *config, const TYPE *x, TYPE *y);  \
    void nb_reduce_min_##SUFFIX(const nb_reduce_config *config, const TYPE *x, TYPE *y);  \
    void nb_reduce_l1_##SUFFIX(const nb_reduce_config *config, const TYPE *x, TYPE *y);   \
    void nb_reduce_sum_square_##SUFFIX(const nb_reduce_config *config, const TYPE *x, TYPE *y);

NB_INTEGERS(NB_DECLARE_REDUCE)
#undef NB_DECLARE_REDUCE

#endif
