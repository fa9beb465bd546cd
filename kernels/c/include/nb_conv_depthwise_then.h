/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_depthwise_then: nb_conv_depthwise, and what follows each sum, see nb_finish.h.
 */
#ifndef NB_CONV_DEPTHWISE_THEN_H
#define NB_CONV_DEPTHWISE_THEN_H

#include "nb_conv_depthwise.h"
#include "nb_conv_then.h"

/*
 * norm is a factor for each channel, then an offset for each, and more lies as y does: both are
 * NULL where `then` has no use for them. The others are those of nb_conv_depthwise_f32.
 */
void nb_conv_depthwise_then_f32(const nb_conv_then_config *config, const float *x, const float *w,
                                const float *bias, const float *norm, const float *more, float *y);

#endif
