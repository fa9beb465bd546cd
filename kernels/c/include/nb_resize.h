/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_resize: another size along one axis, each element a weighted sum of a few.
 *
 * Terms are added in the order of the taps; a sum starts with its first term.
 */
#ifndef NB_RESIZE_H
#define NB_RESIZE_H

#include "nb_common.h"

typedef struct nb_resize_config {
    int32_t outer;    /* elements of all axes before */
    int32_t in_size;  /* of the axis */
    int32_t out_size;
    int32_t inner;    /* elements of all axes behind */
    int32_t taps;
    float outside;    /* the value of elements whose first place is negative */
} nb_resize_config;

/* places and weights are [taps][out_size] */
void nb_resize_f32(const nb_resize_config *config, const float *x, const int32_t *places,
                   const float *weights, float *y);

#endif
