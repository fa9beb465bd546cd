/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_last: convolutions over rows and columns of pixels whose channels may lie side by side,
 * and what follows them: normalization, a second addend, bounds. The arithmetic is that of nb_conv
 * and of the kernels for what follows, operation by operation.
 *
 * An element lies at row * columns * pixel + column * pixel + channel * step, so that data may be
 * [rows][columns][channels] or [channels][rows][columns]; x and y each as they are.
 */
#ifndef NB_CONV_LAST_H
#define NB_CONV_LAST_H

#include "nb_common.h"

typedef struct nb_conv_last_config {
    int32_t batch;
    int32_t in_channels;
    int32_t out_channels;
    int32_t in_dims[2]; /* rows and columns */
    int32_t out_dims[2];
    int32_t kernel[2];
    int32_t strides[2];
    int32_t dilations[2];
    int32_t pads[2];   /* before; those behind follow from the other numbers */
    int32_t x_pixel;   /* from one pixel to the next, in elements */
    int32_t x_channel; /* from one channel to the next */
    int32_t y_pixel;
    int32_t y_channel;
    int32_t then;      /* what follows the sums, see nb_finish.h */
    float low;
    float high;
} nb_conv_last_config;

/*
 * Weights are blocks of 96 output channels, each [in_channels][kernel][channels of the block].
 * Fewer than 16 that are left belong to the block before. norm is a factor per channel, then an
 * offset per channel, and more lies as y does: both are there where `then` says so, else NULL. bias
 * may be NULL; y may overlap nothing.
 */
void nb_conv_last_f32(const nb_conv_last_config *config, const float *x, const float *w,
                      const float *bias, const float *norm, const float *more, float *y);

#endif
