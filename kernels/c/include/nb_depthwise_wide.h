/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_depthwise_wide: nb_conv_wide for groups of one input channel, over one or two dimensions.
 *
 * Weights are [groups * out_channels][kernel]. `lines` has room for kernel[1] rows of
 * (out_dims[2] + 16) * strides[2] + (kernel[2] - 1) * dilations[2] + 1 numbers of 16 bits.
 */
#ifndef NB_DEPTHWISE_WIDE_H
#define NB_DEPTHWISE_WIDE_H

#include "nb_conv.h"

#define NB_DECLARE_DEPTHWISE_WIDE(SUFFIX, X)                                                   \
    void nb_depthwise_wide_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w, \
                                    const X *x_zero, const int32_t *bias, const float *factor, \
                                    const X *y_zero, X *y, void *lines);

NB_DECLARE_DEPTHWISE_WIDE(u8, uint8_t)
NB_DECLARE_DEPTHWISE_WIDE(i8, int8_t)
#undef NB_DECLARE_DEPTHWISE_WIDE

#endif
