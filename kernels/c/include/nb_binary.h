/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_binary: two inputs combined element by element, with broadcasting.
 *
 * Neighbouring dimensions that both inputs go through alike are joined before, so that `rank` is
 * small; `dims` has at least one dimension. A stride of 0 repeats an input along a dimension.
 * y may be an input that has as many elements.
 */
#ifndef NB_BINARY_H
#define NB_BINARY_H

#include "nb_common.h"

typedef struct nb_binary_config {
    int32_t rank;                   /* number of dimensions, from 1 on */
    int32_t dims[NB_MAX_RANK];      /* of the output */
    int32_t a_strides[NB_MAX_RANK]; /* in elements */
    int32_t b_strides[NB_MAX_RANK]; /* in elements */
} nb_binary_config;

/* a + b */
void nb_add_f32(const nb_binary_config *config, const float *a, const float *b, float *y);

#endif
