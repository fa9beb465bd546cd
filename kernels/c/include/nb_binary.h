/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_binary: two inputs combined element by element, with broadcasting.
 *
 * Neighbouring dimensions that both inputs go through alike are joined before, so that `rank` is
 * small; `dims` has at least one dimension. A stride of 0 repeats an input along a dimension.
 * y may be an input that has as many elements.
 */
#ifndef NB_BINARY_H
#define NB_BINARY_H

#include "nb_types.h"
#include "nb_walk.h"

typedef struct nb_binary_config {
    int32_t rank;                   /* number of dimensions, from 1 on */
    int32_t dims[NB_MAX_RANK];      /* of the output */
    int32_t a_strides[NB_MAX_RANK]; /* in elements */
    int32_t b_strides[NB_MAX_RANK]; /* in elements */
} nb_binary_config;

/* Defines a kernel that gives VALUE, an expression of u from a and v from b, for each element. */
#define NB_BINARY(NAME, TYPE, RESULT, VALUE)                                                  \
    void NAME(const nb_binary_config *config, const TYPE *a, const TYPE *b, RESULT *y)        \
    {                                                                                         \
        const int32_t rank = config->rank;                                                    \
        const int32_t width = config->dims[rank - 1];                                         \
        const int32_t a_step = config->a_strides[rank - 1];                                   \
        const int32_t b_step = config->b_strides[rank - 1];                                   \
        nb_walk walk = {{0}, 0, 0, 0};                                                        \
        if (nb_is_empty(rank, config->dims)) {                                                \
            return;                                                                           \
        }                                                                                     \
        do {                                                                                  \
            const TYPE *p = a + walk.a;                                                       \
            const TYPE *q = b + walk.b;                                                       \
            if (a_step == 1 && b_step == 1) {                                                 \
                for (int32_t i = 0; i < width; ++i) {                                         \
                    const TYPE u = p[i];                                                      \
                    const TYPE v = q[i];                                                      \
                    y[i] = (RESULT)(VALUE);                                                   \
                }                                                                             \
            } else if (a_step == 1 && b_step == 0) {                                          \
                const TYPE v = q[0];                                                          \
                for (int32_t i = 0; i < width; ++i) {                                         \
                    const TYPE u = p[i];                                                      \
                    y[i] = (RESULT)(VALUE);                                                   \
                }                                                                             \
            } else {                                                                          \
                for (int32_t i = 0; i < width; ++i) {                                         \
                    const TYPE u = p[(ptrdiff_t)i * a_step];                                  \
                    const TYPE v = q[(ptrdiff_t)i * b_step];                                  \
                    y[i] = (RESULT)(VALUE);                                                   \
                }                                                                             \
            }                                                                                 \
            y += width;                                                                       \
        } while (nb_next_row(&walk, rank, config->dims, config->a_strides, config->b_strides, \
                             NULL));                                                          \
    }

/* The body of a kernel with one loop: for those that are rarely the ones that take the time. */
#define NB_BINARY_BODY(TYPE, RESULT, VALUE)                                            \
    {                                                                                  \
        const int32_t last = config->rank - 1;                                         \
        nb_walk walk = {{0}, 0, 0, 0};                                                 \
        if (nb_is_empty(config->rank, config->dims)) {                                 \
            return;                                                                    \
        }                                                                              \
        do {                                                                           \
            for (int32_t i = 0; i < config->dims[last]; ++i) {                         \
                const TYPE u = a[walk.a + (ptrdiff_t)i * config->a_strides[last]];     \
                const TYPE v = b[walk.b + (ptrdiff_t)i * config->b_strides[last]];     \
                *y++ = (RESULT)(VALUE);                                                \
            }                                                                          \
        } while (nb_next_row(&walk, config->rank, config->dims, config->a_strides,     \
                             config->b_strides, NULL));                                \
    }

/* The same kernel as NB_BINARY, with it. */
#define NB_BINARY_PLAIN(NAME, TYPE, RESULT, VALUE)                                     \
    void NAME(const nb_binary_config *config, const TYPE *a, const TYPE *b, RESULT *y) \
    NB_BINARY_BODY(TYPE, RESULT, VALUE)

#endif
