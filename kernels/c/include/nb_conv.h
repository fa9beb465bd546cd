/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv: convolutions over one, two or three spatial dimensions.
 *
 * A sum starts at the bias, or at 0. Its terms are added one after the other: channel by channel,
 * then by depth, row and column of the kernel. Taps that fall outside of the input are skipped.
 * Missing dimensions have size, kernel, stride and dilation 1; the last one is the columns.
 * Data are [batch][channels][depth][rows][columns]; channels and rows may lie apart, so that parts
 * of larger tensors are read and written where they lie.
 *
 * Results are computed side by side along the columns: right for groups of one channel, and for
 * any weights. nb_conv_packed computes channels side by side, which is faster for many channels.
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
    int32_t x_channel; /* elements from one channel of x to the next */
    int32_t x_line;    /* from one row of x to the next; the elements of a row lie side by side */
    int32_t y_channel; /* from one channel of y to the next; its rows follow each other */
} nb_conv_config;

/*
 * Weights are [groups * out_channels][in_channels][kernel]; bias may be NULL; y may not overlap an
 * input.
 */
void nb_conv_f32(const nb_conv_config *config, const float *x, const float *w, const float *bias,
                 float *y);

#endif
