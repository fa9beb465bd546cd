/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_then: what convolutions that do what follows are told: that of nb_conv, and more.
 */
#ifndef NB_CONV_THEN_H
#define NB_CONV_THEN_H

#include "nb_common.h"

typedef struct nb_conv_then_config {
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
    int32_t then;    /* see nb_finish.h */
    float low;
    float high;
} nb_conv_then_config;

#endif
