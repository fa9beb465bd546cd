/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_power: powers and remainders of floating-point numbers, element by element.
 *
 * y may be an input that has as many elements.
 */
#ifndef NB_POWER_H
#define NB_POWER_H

#include "nb_binary.h"

/* a to the power of b; see nb_pow.h for what happens at the limits */
void nb_pow_f32(const nb_binary_config *config, const float *a, const float *b, float *y);

/* The remainder of a / b, exact: `fmod` has the sign of a, `mod` that of b. */
void nb_fmod_f32(const nb_binary_config *config, const float *a, const float *b, float *y);
void nb_mod_f32(const nb_binary_config *config, const float *a, const float *b, float *y);

#endif
