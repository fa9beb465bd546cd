/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_pool: the largest element, or the mean, of windows over one, two or three dimensions.
 *
 * Taps are taken by depth, row and column; those that fall outside of the input are skipped.
 * Missing dimensions have size, kernel, stride and dilation 1. Channels and rows may lie apart.
 */
#ifndef NB_POOL_H
#define NB_POOL_H

#include "nb_float.h"

typedef struct nb_pool_config {
    int32_t channels; /* of all samples */
    int32_t in_dims[3];
    int32_t out_dims[3];
    int32_t kernel[3];
    int32_t strides[3];
    int32_t dilations[3];
    int32_t pads[3];         /* missing elements before each dimension */
    int32_t low[3];          /* the elements that sums take: from low on, before high */
    int32_t high[3];
    int32_t counted_low[3];  /* the same for the number of taps, which may count padding */
    int32_t counted_high[3];
    int32_t column_major;    /* whether indices are counted column by column */
    int32_t x_channel; /* elements from one channel of x to the next */
    int32_t x_line;    /* from one row of x to the next; the elements of a row lie side by side */
    int32_t y_channel; /* from one channel of y to the next; its rows follow each other */
} nb_pool_config;

void nb_max_pool_f32(const nb_pool_config *config, const float *x, float *y);

/* Sums start at 0 and are divided by the number of taps that count, 1 at least. */
void nb_average_pool_f32(const nb_pool_config *config, const float *x, float *y);

#endif
