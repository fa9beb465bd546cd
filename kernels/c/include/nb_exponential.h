/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_exponential: functions of one number that are made of exp, ln and erf.
 *
 * y may be x.
 */
#ifndef NB_EXPONENTIAL_H
#define NB_EXPONENTIAL_H

#include "nb_erf.h"
#include "nb_exp.h"
#include "nb_log.h"

typedef struct nb_exponential_config {
    int32_t count; /* number of elements */
    float alpha;   /* slope or scale, where the function has one */
    float gamma;   /* second scale of selu */
} nb_exponential_config;

void nb_exp_f32(const nb_exponential_config *config, const float *x, float *y);
void nb_ln_f32(const nb_exponential_config *config, const float *x, float *y);
void nb_erf_f32(const nb_exponential_config *config, const float *x, float *y);
void nb_sinh_f32(const nb_exponential_config *config, const float *x, float *y);
void nb_cosh_f32(const nb_exponential_config *config, const float *x, float *y);
void nb_tanh_f32(const nb_exponential_config *config, const float *x, float *y);
void nb_asinh_f32(const nb_exponential_config *config, const float *x, float *y);
void nb_acosh_f32(const nb_exponential_config *config, const float *x, float *y);
void nb_atanh_f32(const nb_exponential_config *config, const float *x, float *y);

/* 1 / (1 + exp(-x)) */
void nb_sigmoid_f32(const nb_exponential_config *config, const float *x, float *y);

/* sigmoid(alpha x) x */
void nb_swish_f32(const nb_exponential_config *config, const float *x, float *y);

/* ln(1 + exp(x)) */
void nb_softplus_f32(const nb_exponential_config *config, const float *x, float *y);

/* x tanh(softplus(x)) */
void nb_mish_f32(const nb_exponential_config *config, const float *x, float *y);

/* x where x > 0, else alpha (exp(x) - 1) */
void nb_elu_f32(const nb_exponential_config *config, const float *x, float *y);

/* max(x, 0) + min(alpha (exp(x / alpha) - 1), 0) */
void nb_celu_f32(const nb_exponential_config *config, const float *x, float *y);

/* elu times gamma */
void nb_selu_f32(const nb_exponential_config *config, const float *x, float *y);

/* ((erf(x sqrt(1/2)) + 1) x) / 2 */
void nb_gelu_f32(const nb_exponential_config *config, const float *x, float *y);

/* ((tanh((0.044715 x^3 + x) sqrt(2 / pi)) + 1) x) / 2 */
void nb_gelu_tanh_f32(const nb_exponential_config *config, const float *x, float *y);

#endif
