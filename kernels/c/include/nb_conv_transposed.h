/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_transposed: convolutions that spread each element over a window.
 *
 * A sum starts at the bias, or at 0; then input channel by input channel, each tap by depth, row
 * and column that reaches the result adds its product.
 * Missing dimensions have size, kernel, stride and dilation 1.
 */
#ifndef NB_CONV_TRANSPOSED_H
#define NB_CONV_TRANSPOSED_H

#include "nb_common.h"

typedef struct nb_conv_transposed_config {
    int32_t batch;
    int32_t groups;
    int32_t in_channels;  /* of a group */
    int32_t out_channels; /* of a group */
    int32_t in_dims[3];
    int32_t out_dims[3];
    int32_t kernel[3];
    int32_t strides[3];
    int32_t dilations[3];
    int32_t pads[3]; /* what is cut off before */
} nb_conv_transposed_config;

/* Weights are [groups * in_channels][out_channels][kernel]; bias may be NULL. */
void nb_conv_transposed_f32(const nb_conv_transposed_config *config, const float *x,
                            const float *w, const float *bias, float *y);

#endif
