/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_point_last: nb_conv_last with kernels of one tap, where a result needs the pixel at its place
 * alone. All pixels are one row.
 */
#ifndef NB_POINT_LAST_H
#define NB_POINT_LAST_H

#include "nb_conv_last.h"

/*
 * kernel, strides and dilations are 1, pads are 0, in_dims are out_dims. The operands are those of
 * nb_conv_last_f32.
 */
void nb_point_last_f32(const nb_conv_last_config *config, const float *x, const float *w,
                       const float *bias, const float *norm, const float *more, float *y);

#endif
