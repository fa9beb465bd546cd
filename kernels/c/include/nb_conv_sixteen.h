/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_sixteen: convolutions of 8-bit numbers whose products are summed sixteen at a time.
 *
 * They are those of nb_conv_codes with weights in another order, for cores with vectors of sixteen
 * bytes. On others the same sums are computed one product after the other.
 */
#ifndef NB_CONV_SIXTEEN_H
#define NB_CONV_SIXTEEN_H

#include "nb_conv.h"

/*
 * conv_sixteen: weights of a group are [fours of output channels][sixteens of taps][4][16], filled
 * up with 0; taps are [kernel][in_channels]. A number x of type u8 is taken as x - 128, which the
 * bias makes up for. `columns` has room for 8 times the taps, up to a multiple of sixteen; once
 * them where an input channel is one number.
 */
#define NB_DECLARE_CONV_SIXTEEN(SUFFIX, X)                                                        \
    void nb_conv_sixteen_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,      \
                                  const X *x_zero, const int32_t *bias, const float *factor,      \
                                  const X *y_zero, X *y, void *columns);

NB_DECLARE_CONV_SIXTEEN(u8, uint8_t)
NB_DECLARE_CONV_SIXTEEN(i8, int8_t)
#undef NB_DECLARE_CONV_SIXTEEN

/* The same, rescaled by pairs as TensorFlow Lite does; `ends`: zero point of y, least and most. */
void nb_conv_sixteen_fixed(const nb_conv_config *config, const int8_t *x, const int8_t *w,
                           const int8_t *x_zero, const int32_t *bias, const int32_t *by,
                           const int32_t *ends, int8_t *y, void *columns);

#endif
