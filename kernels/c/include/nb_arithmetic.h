/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_arithmetic: sums, products and the like of two inputs of floating-point numbers.
 *
 * y may be an input that has as many elements.
 */
#ifndef NB_ARITHMETIC_H
#define NB_ARITHMETIC_H

#include "nb_binary.h"

void nb_add_f32(const nb_binary_config *config, const float *a, const float *b, float *y);
void nb_sub_f32(const nb_binary_config *config, const float *a, const float *b, float *y);
void nb_mul_f32(const nb_binary_config *config, const float *a, const float *b, float *y);
void nb_div_f32(const nb_binary_config *config, const float *a, const float *b, float *y);

/* The larger and the smaller one; NaN if one is NaN; the first one if they are equal. */
void nb_max_f32(const nb_binary_config *config, const float *a, const float *b, float *y);
void nb_min_f32(const nb_binary_config *config, const float *a, const float *b, float *y);

/* a where a > 0, else b a */
void nb_prelu_f32(const nb_binary_config *config, const float *a, const float *b, float *y);

#endif
