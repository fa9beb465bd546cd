/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_activation: activations that need no exponential function, with two numbers at most.
 *
 * y may be x.
 */
#ifndef NB_ACTIVATION_H
#define NB_ACTIVATION_H

#include "nb_common.h"

typedef struct nb_activation_config {
    int32_t count; /* number of elements */
    float alpha;   /* slope, threshold or lower bound */
    float beta;    /* offset or upper bound */
} nb_activation_config;

/* x where x > 0, else alpha x */
void nb_leaky_relu_f32(const nb_activation_config *config, const float *x, float *y);

/* alpha where x < alpha, then beta where that is > beta: NaN stays NaN */
void nb_clip_f32(const nb_activation_config *config, const float *x, float *y);

/* alpha x + beta, kept between 0 and 1 */
void nb_hard_sigmoid_f32(const nb_activation_config *config, const float *x, float *y);

/* x times what nb_hard_sigmoid_f32 gives */
void nb_hard_swish_f32(const nb_activation_config *config, const float *x, float *y);

/* x where x > alpha, else +0 */
void nb_thresholded_relu_f32(const nb_activation_config *config, const float *x, float *y);

/* x / (1 + |x|) */
void nb_softsign_f32(const nb_activation_config *config, const float *x, float *y);

/* 1 where x > 0, alpha where x == 0, else +0, as for NaN */
void nb_heaviside_f32(const nb_activation_config *config, const float *x, float *y);

#endif
