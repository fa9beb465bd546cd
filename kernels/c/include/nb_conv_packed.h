/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_packed: convolutions whose weights are arranged so that many channels are computed side
 * by side. The arithmetic is that of nb_conv.
 */
#ifndef NB_CONV_PACKED_H
#define NB_CONV_PACKED_H

#include "nb_conv.h"

/*
 * Weights are, for each group, blocks of up to 32 output channels, each [in_channels][kernel]
 * [channels of the block]; bias may be NULL; y may not overlap an input.
 */
void nb_conv_packed_f32(const nb_conv_config *config, const float *x, const float *w,
                        const float *bias, float *y);

#endif
