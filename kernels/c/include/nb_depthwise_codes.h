/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_depthwise_codes: convolutions of 8-bit numbers in groups of one input channel.
 *
 * They go over one or two dimensions. Everything else is as in nb_conv_codes; weights are
 * [groups * out_channels][kernel]. `lines` has room for so many numbers of 16 bits, with
 * span = (kernel - 1) * dilation + 1 and width that of the columns up to an even number:
 * kernel[1] * width, and span[1] * ((out_dims[2] + 2) * strides[2] + width).
 */
#ifndef NB_DEPTHWISE_CODES_H
#define NB_DEPTHWISE_CODES_H

#include "nb_conv.h"

#define NB_DECLARE_DEPTHWISE_CODES(SUFFIX, X)                                                   \
    void nb_depthwise_codes_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w, \
                                     const X *x_zero, const int32_t *bias, const float *factor, \
                                     const X *y_zero, X *y, void *lines);

NB_DECLARE_DEPTHWISE_CODES(u8, uint8_t)
NB_DECLARE_DEPTHWISE_CODES(i8, int8_t)
#undef NB_DECLARE_DEPTHWISE_CODES

void nb_depthwise_codes_fixed(const nb_conv_config *config, const int8_t *x, const int8_t *w,
                              const int8_t *x_zero, const int32_t *bias, const int32_t *by,
                              const int32_t *ends, int8_t *y, void *lines);

#endif
