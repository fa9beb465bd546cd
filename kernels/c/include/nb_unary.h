/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_unary: simple functions of one number, applied to each element.
 *
 * y may be x.
 */
#ifndef NB_UNARY_H
#define NB_UNARY_H

#include "nb_common.h"

typedef struct nb_unary_config {
    int32_t count; /* number of elements */
} nb_unary_config;

/* Defines a kernel that gives VALUE, an expression of v, for each element v. */
#define NB_UNARY(NAME, TYPE, RESULT, VALUE)                            \
    void NAME(const nb_unary_config *config, const TYPE *x, RESULT *y) \
    {                                                                  \
        const int32_t count = config->count;                           \
        for (int32_t i = 0; i < count; ++i) {                          \
            const TYPE v = x[i];                                       \
            y[i] = (RESULT)(VALUE);                                    \
        }                                                              \
    }

/* +0 where x is less than 0, else x: NaN stays NaN, -0 stays -0. */
void nb_relu_f32(const nb_unary_config *config, const float *x, float *y);

void nb_abs_f32(const nb_unary_config *config, const float *x, float *y);
void nb_neg_f32(const nb_unary_config *config, const float *x, float *y);

/* -1, +0 or 1; NaN of NaN */
void nb_sign_f32(const nb_unary_config *config, const float *x, float *y);

void nb_floor_f32(const nb_unary_config *config, const float *x, float *y);
void nb_ceil_f32(const nb_unary_config *config, const float *x, float *y);
void nb_sqrt_f32(const nb_unary_config *config, const float *x, float *y);
void nb_reciprocal_f32(const nb_unary_config *config, const float *x, float *y);

/* Rounding to whole numbers; the names say where halves, or all numbers, go. */
void nb_round_half_away_from_zero_f32(const nb_unary_config *config, const float *x, float *y);
void nb_round_half_toward_zero_f32(const nb_unary_config *config, const float *x, float *y);
void nb_round_half_to_even_f32(const nb_unary_config *config, const float *x, float *y);
void nb_round_half_to_odd_f32(const nb_unary_config *config, const float *x, float *y);
void nb_round_half_up_f32(const nb_unary_config *config, const float *x, float *y);
void nb_round_half_down_f32(const nb_unary_config *config, const float *x, float *y);
void nb_round_toward_zero_f32(const nb_unary_config *config, const float *x, float *y);
void nb_round_away_from_zero_f32(const nb_unary_config *config, const float *x, float *y);

/* Truth values are bytes, 0 or 1. */
void nb_not_bool(const nb_unary_config *config, const uint8_t *x, uint8_t *y);
void nb_is_nan_f32(const nb_unary_config *config, const float *x, uint8_t *y);
void nb_is_positive_infinity_f32(const nb_unary_config *config, const float *x, uint8_t *y);
void nb_is_negative_infinity_f32(const nb_unary_config *config, const float *x, uint8_t *y);
void nb_is_infinity_f32(const nb_unary_config *config, const float *x, uint8_t *y);

#endif
