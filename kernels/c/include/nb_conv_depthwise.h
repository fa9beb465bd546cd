/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_depthwise: convolutions over rows and columns whose groups have one input channel. The
 * arithmetic is that of nb_conv.
 */
#ifndef NB_CONV_DEPTHWISE_H
#define NB_CONV_DEPTHWISE_H

#include "nb_conv.h"

/*
 * in_channels, the depths and the dilations are 1. Weights are [groups * out_channels][kernel];
 * bias may be NULL; y may not overlap an input.
 */
void nb_conv_depthwise_f32(const nb_conv_config *config, const float *x, const float *w,
                           const float *bias, float *y);

#endif
