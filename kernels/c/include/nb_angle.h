/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_angle: trigonometric functions of each element; angles are in radians.
 *
 * y may be x.
 */
#ifndef NB_ANGLE_H
#define NB_ANGLE_H

#include "nb_common.h"

typedef struct nb_angle_config {
    int32_t count; /* number of elements */
} nb_angle_config;

void nb_sin_f32(const nb_angle_config *config, const float *x, float *y);
void nb_cos_f32(const nb_angle_config *config, const float *x, float *y);
void nb_tan_f32(const nb_angle_config *config, const float *x, float *y);
void nb_asin_f32(const nb_angle_config *config, const float *x, float *y);
void nb_acos_f32(const nb_angle_config *config, const float *x, float *y);
void nb_atan_f32(const nb_angle_config *config, const float *x, float *y);

#endif
