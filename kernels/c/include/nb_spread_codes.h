/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_spread_codes: transposed convolutions of 8-bit numbers; sums are 32-bit and wrap around.
 *
 * A result takes the elements whose windows reach it. It adds the bias, multiplies by the factor
 * of its channel, rounds to even, adds the zero point and keeps 8 bits. `w_zero`, one number per
 * output channel, is NULL when all are 0. Dimensions are those of nb_conv_transposed.
 */
#ifndef NB_SPREAD_CODES_H
#define NB_SPREAD_CODES_H

#include "nb_conv_quantized.h"
#include "nb_conv_transposed.h"

#define NB_DECLARE_SPREAD(SUFFIX, X, W)                                                         \
    void nb_spread_codes_##SUFFIX(const nb_conv_transposed_config *config, const X *x,          \
                                  const W *w, const X *x_zero, const int32_t *w_zero,           \
                                  const int32_t *bias, const float *factor, const X *y_zero, X *y);

NB_QUANTIZED_PAIRS(NB_DECLARE_SPREAD)
#undef NB_DECLARE_SPREAD

#endif
