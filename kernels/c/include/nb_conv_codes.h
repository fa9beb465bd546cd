/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_codes: convolutions of 8-bit numbers by weights that are arranged for them.
 *
 * The suffix is the type of the data and of the result; weights are int8 and stand for themselves.
 * Dimensions are those of nb_conv. `x_zero`, NULL when it is 0, is what lies outside of the input;
 * it is not subtracted: the bias of each output channel has x_zero times the sum of its weights
 * less. Sums are 32-bit and wrap around; they are multiplied by a factor per output channel,
 * rounded to even, and the zero point of the result is added.
 */
#ifndef NB_CONV_CODES_H
#define NB_CONV_CODES_H

#include "nb_conv.h"

/*
 * Weights of a group are [pairs of output channels][fours of taps][2][4], filled up with 0, each
 * four in the order 0, 2, 1, 3; taps are [in_channels][kernel]. `columns` has room for 2 * (taps,
 * up to a multiple of four) numbers of 16 bits, on a multiple of four bytes.
 */
#define NB_DECLARE_CONV_CODES(SUFFIX, X)                                                      \
    void nb_conv_codes_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,    \
                                const X *x_zero, const int32_t *bias, const float *factor,    \
                                const X *y_zero, X *y, void *columns);

NB_DECLARE_CONV_CODES(u8, uint8_t)
NB_DECLARE_CONV_CODES(i8, int8_t)
#undef NB_DECLARE_CONV_CODES

/*
 * The same, where sums are rescaled as TensorFlow Lite does: `by` has a multiplier and a shift per
 * output channel, `ends` are the zero point of the result, its least and its largest code.
 */
void nb_conv_codes_fixed(const nb_conv_config *config, const int8_t *x, const int8_t *w,
                         const int8_t *x_zero, const int32_t *bias, const int32_t *by,
                         const int32_t *ends, int8_t *y, void *columns);

#endif
