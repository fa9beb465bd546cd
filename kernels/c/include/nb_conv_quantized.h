/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_quantized: convolutions of 8-bit numbers; sums are 32-bit and wrap around.
 *
 * The first letters of a suffix are the type of the data (and of the zero point of the result), the
 * last those of the weights. `w_zero`, one number per output channel, is NULL when all are 0, and
 * so is `x_zero` when it is 0. Dimensions are those of nb_conv.
 */
#ifndef NB_CONV_QUANTIZED_H
#define NB_CONV_QUANTIZED_H

#include "nb_conv.h"

#define NB_QUANTIZED_PAIRS(DO) \
    DO(u8u8, uint8_t, uint8_t) \
    DO(u8i8, uint8_t, int8_t)  \
    DO(i8i8, int8_t, int8_t)   \
    DO(i8u8, int8_t, uint8_t)

/* conv_integer gives the sums; conv_quantized adds the bias, multiplies by a factor per output
   channel, rounds to even, adds the zero point and keeps 8 bits. */
#define NB_DECLARE_CONV(SUFFIX, X, W)                                                            \
    void nb_conv_integer_##SUFFIX(const nb_conv_config *config, const X *x, const W *w,          \
                                  const X *x_zero, const int32_t *w_zero, int32_t *y);           \
    void nb_conv_quantized_##SUFFIX(const nb_conv_config *config, const X *x, const W *w,        \
                                    const X *x_zero, const int32_t *w_zero, const int32_t *bias, \
                                    const float *factor, const X *y_zero, X *y);

NB_QUANTIZED_PAIRS(NB_DECLARE_CONV)
#undef NB_DECLARE_CONV

/* conv_fixed rounds as TensorFlow Lite does (nb_rescale): `factor` has a multiplier and a shift per
   output channel, `ends` the zero point, the least and the largest code of y. */
void nb_conv_fixed_i8i8(const nb_conv_config *config, const int8_t *x, const int8_t *w,
                        const int8_t *x_zero, const int32_t *w_zero, const int32_t *bias,
                        const int32_t *factor, const int32_t *ends, int8_t *y);

#endif
