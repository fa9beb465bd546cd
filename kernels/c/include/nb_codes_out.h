/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_codes_out: from sums of products of 8-bit numbers to codes.
 *
 * Sums are multiplied by a factor and rounded to even, or rescaled as TensorFlow Lite does.
 */
#ifndef NB_CODES_OUT_H
#define NB_CODES_OUT_H

#include "nb_quantize.h"
#include "nb_rescale.h"

/* Where the results of a group go, and what makes codes of its sums; all by output channel. */
#define NB_CODES_OUT(NAME, KIND, ENDS)                                                             \
    typedef struct NAME {                                                                          \
        int32_t channels;                                                                          \
        int32_t depth;      /* taps, filled up */                                                  \
        ptrdiff_t out_size; /* from one channel to the next */                                     \
        const int8_t *w;                                                                           \
        const int32_t *bias;                                                                       \
        const KIND *factor;                                                                        \
        ENDS zero;                                                                                 \
    } NAME;

NB_CODES_OUT(nb_codes_out, float, int32_t)
NB_CODES_OUT(nb_fixed_out, nb_pair, nb_ends)

static inline void nb_repeat(int16_t *to, int32_t count, int16_t value)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = value;
    }
}

#define NB_CODE(X, SUM, BIAS, FACTOR, ZERO)                                                        \
    ((X)nb_requantized((int32_t)((SUM) + (uint32_t)(BIAS)), FACTOR, ZERO, NB_LEAST(X),             \
                       NB_LARGEST(X)))

#define NB_FIXED_CODE(X, SUM, BIAS, FACTOR, ZERO)                                                  \
    ((X)nb_code(nb_rescaled((int32_t)((SUM) + (uint32_t)(BIAS)), (FACTOR).multiplier,              \
                            (FACTOR).shift),                                                       \
                (ZERO).zero, (ZERO).least, (ZERO).most))

/* What is given as numbers, as the types of nb_codes_out and nb_fixed_out. */
#define NB_AS_IT_IS(FACTOR) (FACTOR)
#define NB_ONE(ZERO) (*(ZERO))
#define NB_PAIRS(BY) ((const nb_pair *)(const void *)(BY))
#define NB_ENDS(ENDS) (*(const nb_ends *)(const void *)(ENDS))

#endif
