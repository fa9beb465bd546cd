/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_unary: functions of one number, applied to each element.
 *
 * y may be x.
 */
#ifndef NB_UNARY_H
#define NB_UNARY_H

#include "nb_common.h"

typedef struct nb_unary_config {
    int32_t count; /* number of elements */
} nb_unary_config;

/* +0 where x is less than 0, else x: NaN stays NaN, -0 stays -0. */
void nb_relu_f32(const nb_unary_config *config, const float *x, float *y);

#endif
