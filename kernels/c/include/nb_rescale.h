/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_rescale: factors as a whole number and a shift, rounded as TensorFlow Lite does.
 *
 * A product keeps its upper half, halves rounded upwards, and is then divided by a power of two,
 * rounded half away from zero.
 */
#ifndef NB_RESCALE_H
#define NB_RESCALE_H

#include "nb_common.h"

/* A factor as a whole number and a shift, and the codes that results are between. */
typedef struct nb_pair {
    int32_t multiplier;
    int32_t shift;
} nb_pair;

typedef struct nb_ends {
    int32_t zero;
    int32_t least;
    int32_t most;
} nb_ends;

/* a * b / 2^31, to the nearest number, halves upwards. */
static inline int32_t nb_high_product(int32_t a, int32_t b)
{
    const int64_t half = ((int64_t)a * b + ((int64_t)1 << 30)) >> 31;
    return half > INT32_MAX ? INT32_MAX : (int32_t)half;
}

/* x / 2^exponent, rounded half away from zero; exponents are from 0 to 31. */
static inline int32_t nb_divided(int32_t x, int32_t exponent)
{
    const int32_t mask = (int32_t)(((uint32_t)1 << exponent) - 1u);
    const int32_t rest = x & mask;
    const int32_t limit = (mask >> 1) + (x < 0 ? 1 : 0);
    return (x >> exponent) + (rest > limit ? 1 : 0);
}

/* x * multiplier * 2^(shift - 31). */
static inline int32_t nb_rescaled(int32_t x, int32_t multiplier, int32_t shift)
{
    if (shift <= 0) {
        return nb_divided(nb_high_product(x, multiplier), -shift);
    }
    const int64_t wide = (int64_t)x * ((int64_t)1 << shift);
    const int64_t least = wide > INT32_MIN ? wide : INT32_MIN;
    return nb_high_product((int32_t)(least < INT32_MAX ? least : INT32_MAX), multiplier);
}

/* x + zero, between two codes. */
static inline int8_t nb_code(int32_t x, int32_t zero, int32_t least, int32_t most)
{
    const int64_t whole = (int64_t)x + zero;
    return (int8_t)(whole < least ? least : whole > most ? most : whole);
}

#endif
