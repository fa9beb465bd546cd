/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_codes: from 8-bit codes to codes, without a product of matrices.
 *
 * The suffix is the type of the codes. Rounding is to even; what does not fit gives the nearest
 * code. Factors and zero points come as float32 numbers, in the order that each kernel names.
 */
#ifndef NB_CODES_H
#define NB_CODES_H

#include "nb_binary.h"

#define NB_CODES(DO) DO(i8, int8_t) DO(u8, uint8_t)

typedef struct nb_look_up_config {
    int32_t outer;  /* pieces */
    int32_t inner;  /* codes of a piece; they lie side by side in x */
    int32_t y_step; /* from one piece to the next in y */
} nb_look_up_config;

/* y = table[x]; the table has 256 codes, found by the bits of the code. y may be x. */
void nb_look_up(const nb_look_up_config *config, const void *x, const void *table, void *y);

/* The same where the entries have 16 bits. */
void nb_look_up_wide(const nb_look_up_config *config, const void *x, const void *table, void *y);

typedef struct nb_mean_codes_config {
    int32_t outer;
    int32_t size;  /* codes of a mean */
    int32_t inner; /* from one of them to the next */
} nb_mean_codes_config;

typedef struct nb_softmax_codes_config {
    int32_t outer;
    int32_t size;
    int32_t inner;
} nb_softmax_codes_config;

/*
 * add:     `by` is a factor of a, one of b, and what is added; sums are rounded once each.
 * mul:     `by` is a factor, and the zero points of a, b and y.
 * mean:    `by` is a factor, and the zero points of x and y.
 * softmax: `by` is the number of steps from 0 to 1 and the zero point of y; `table` has the
 *          exponentials of the differences -255 to 0.
 */
#define NB_DECLARE_CODES(SUFFIX, TYPE)                                                           \
    void nb_add_codes_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,     \
                               const float *by, TYPE *y);                                        \
    void nb_mul_codes_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,     \
                               const float *by, TYPE *y);                                        \
    void nb_mean_codes_##SUFFIX(const nb_mean_codes_config *config, const TYPE *x,               \
                                const float *by, TYPE *y);                                       \
    void nb_softmax_codes_##SUFFIX(const nb_softmax_codes_config *config, const TYPE *x,         \
                                   const float *table, const float *by, TYPE *y);

NB_CODES(NB_DECLARE_CODES)
#undef NB_DECLARE_CODES

/* Goes over lines of codes; BODY sees the first code as `start`, and the step to the next. */
#define NB_LINES_OF_CODES(BODY)                                             \
    for (int32_t outer = 0; outer < config->outer; ++outer) {               \
        for (int32_t inner = 0; inner < config->inner; ++inner) {           \
            const ptrdiff_t step = config->inner;                           \
            const ptrdiff_t start = outer * (config->size * step) + inner;  \
            BODY                                                            \
        }                                                                   \
    }

#endif
