/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_depthwise_sixteen: nb_conv_sixteen for groups of one input channel, over rows and columns.
 *
 * Weights are [groups * out_channels][kernel]. `lines` has room for
 * ((kernel[1] - 1) * dilations[1] + 1) rows of
 * (out_dims[2] + 8) * strides[2] + kernel[2] * dilations[2] numbers.
 */
#ifndef NB_DEPTHWISE_SIXTEEN_H
#define NB_DEPTHWISE_SIXTEEN_H

#include "nb_conv.h"

#define NB_DECLARE_DEPTHWISE_SIXTEEN(SUFFIX, X)                                                   \
    void nb_depthwise_sixteen_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w, \
                                       const X *x_zero, const int32_t *bias, const float *factor, \
                                       const X *y_zero, X *y, void *lines);

NB_DECLARE_DEPTHWISE_SIXTEEN(u8, uint8_t)
NB_DECLARE_DEPTHWISE_SIXTEEN(i8, int8_t)
#undef NB_DECLARE_DEPTHWISE_SIXTEEN

void nb_depthwise_sixteen_fixed(const nb_conv_config *config, const int8_t *x, const int8_t *w,
                                const int8_t *x_zero, const int32_t *bias, const int32_t *by,
                                const int32_t *ends, int8_t *y, void *lines);

#endif
