/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv: convolutions over one, two or three spatial dimensions.
 *
 * A sum starts at the bias, or at 0. Its terms are added one after the other: channel by channel,
 * then by depth, row and column of the kernel. Taps that fall outside of the input are skipped.
 * Missing dimensions have size, kernel, stride and dilation 1; the last one is the columns.
 * Data are [batch][channels][depth][rows][columns].
 */
#ifndef NB_CONV_H
#define NB_CONV_H

#include "nb_common.h"

typedef struct nb_conv_config {
    int32_t batch;
    int32_t groups;
    int32_t in_channels;  /* of a group */
    int32_t out_channels; /* of a group */
    int32_t in_dims[3];
    int32_t out_dims[3];
    int32_t kernel[3];
    int32_t strides[3];
    int32_t dilations[3];
    int32_t pads[3]; /* before; those behind follow from the other numbers */
} nb_conv_config;

/*
 * Weights are [groups * out_channels][in_channels][kernel]: a kernel for any case, and the fast one
 * for groups of one channel. bias may be NULL; y may not overlap an input.
 */
void nb_conv_f32(const nb_conv_config *config, const float *x, const float *w, const float *bias,
                 float *y);

/*
 * The same with packed weights: for each group, blocks of up to 32 output channels, each
 * [in_channels][kernel][channels of the block]; many channels are computed side by side.
 */
void nb_conv_packed_f32(const nb_conv_config *config, const float *x, const float *w,
                        const float *bias, float *y);

#endif
