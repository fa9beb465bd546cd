/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_near: nb_conv_last with small kernels, of pixels with their channels side by side, where
 * zeros may stand for what lies outside. Pixels are computed together across the ends of rows.
 */
#ifndef NB_CONV_NEAR_H
#define NB_CONV_NEAR_H

#include "nb_conv_last.h"

/*
 * x_channel is 1, the kernel has up to 25 taps, and outside is in_channels zeros: they are
 * multiplied by the weights that reach over the edges. That keeps the bits only if all weights are
 * finite and no bias is -0: then a sum is never -0, and a product with 0 changes nothing. The other
 * operands are those of nb_conv_last_f32.
 */
void nb_conv_near_f32(const nb_conv_last_config *config, const float *x, const float *w,
                      const float *bias, const float *norm, const float *more,
                      const float *outside, float *y);

#endif
