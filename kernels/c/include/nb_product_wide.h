/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_product_wide: rows of 8-bit numbers times a known matrix, for processors with long vectors.
 *
 * `batch` rows of `in_channels` numbers give rows of `out_channels` results, which are computed
 * side by side. The arithmetic is that of nb_conv_codes.
 */
#ifndef NB_PRODUCT_WIDE_H
#define NB_PRODUCT_WIDE_H

#include "nb_conv.h"

/*
 * Weights are [sixteens of columns][fours of the depth][16][4], filled up with 0. Where fewer than
 * 16 columns are left, those are [fours of the depth][left][4], and zeros follow: 64 bytes can be
 * read from any of them. A number x of type i8 is taken as x + 128, which the bias makes up for.
 * `columns` has room for 4 times the depth, up to a multiple of four.
 */
#define NB_DECLARE_PRODUCT_WIDE(SUFFIX, X)                                                   \
    void nb_product_wide_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w, \
                                  const X *x_zero, const int32_t *bias, const float *factor, \
                                  const X *y_zero, X *y, void *columns);

NB_DECLARE_PRODUCT_WIDE(u8, uint8_t)
NB_DECLARE_PRODUCT_WIDE(i8, int8_t)
#undef NB_DECLARE_PRODUCT_WIDE

#endif
