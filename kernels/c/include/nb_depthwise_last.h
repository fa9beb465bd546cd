/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_depthwise_last: nb_conv_last where each channel has weights of its own.
 */
#ifndef NB_DEPTHWISE_LAST_H
#define NB_DEPTHWISE_LAST_H

#include "nb_conv_last.h"

/*
 * Channels lie side by side in x and y, in_channels is out_channels, and weights are
 * [kernel][channels]; the others are those of nb_conv_last_f32.
 */
void nb_depthwise_last_f32(const nb_conv_last_config *config, const float *x, const float *w,
                           const float *bias, const float *norm, const float *more, float *y);

#endif
