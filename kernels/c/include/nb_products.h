/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_products: products of matrices of whole numbers, written once for all types of data and sums.
 */
#ifndef NB_PRODUCTS_H
#define NB_PRODUCTS_H

#include "nb_walk.h"

/* Defines a product that gives VALUE, an expression of `sum`, `i` and `j`, for each result. */
#define NB_ALL_PRODUCTS(A, B, Y, SUM, VALUE)                                                       \
    {                                                                                              \
        const int32_t last = config->rank - 1;                                                     \
        nb_walk walk = {{0}, 0, 0, 0};                                                             \
        if (nb_is_empty(config->rank, config->dims)) {                                             \
            return;                                                                                \
        }                                                                                          \
        do {                                                                                       \
            for (int32_t n = 0; n < config->dims[last]; ++n) {                                     \
                const A *left = a + walk.a + (ptrdiff_t)n * config->a_stack[last];                 \
                const B *right = b + walk.b + (ptrdiff_t)n * config->b_stack[last];                \
                Y *to = y + walk.c + (ptrdiff_t)n * config->y_stack[last];                         \
                for (int32_t i = 0; i < config->rows; ++i) {                                       \
                    const int32_t a_offset =                                                       \
                        a_zero == NULL ? 0 : a_zero[i * config->a_zero_step];                      \
                    for (int32_t j = 0; j < config->columns; ++j) {                                \
                        const int32_t b_offset =                                                   \
                            b_zero == NULL ? 0 : b_zero[j * config->b_zero_step];                  \
                        SUM sum = 0u;                                                              \
                        for (int32_t k = 0; k < config->depth; ++k) {                              \
                            const int32_t u = left[(ptrdiff_t)i * config->a_row                    \
                                                   + (ptrdiff_t)k * config->a_depth] - a_offset;   \
                            const int32_t v = right[(ptrdiff_t)k * config->b_depth                 \
                                                    + (ptrdiff_t)j * config->b_column] - b_offset; \
                            sum += (SUM)u * (SUM)v;                                                \
                        }                                                                          \
                        *to++ = (Y)(VALUE);                                                        \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        } while (nb_next_row(&walk, config->rank, config->dims, config->a_stack,                   \
                             config->b_stack, config->y_stack));                                   \
    }

#endif
