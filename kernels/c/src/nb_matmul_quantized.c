/* SPDX-License-Identifier: MIT-0 */
#include "nb_matmul_quantized.h"

#include "nb_quantize.h"
#include "nb_walk.h"

/* Defines a product that gives VALUE, an expression of `sum`, `i` and `j`, for each result. */
#define NB_ALL_PRODUCTS(A, B, Y, VALUE)                                                          \
    {                                                                                            \
        const int32_t last = config->rank - 1;                                                   \
        nb_walk walk = {{0}, 0, 0, 0};                                                           \
        if (nb_is_empty(config->rank, config->dims)) {                                           \
            return;                                                                              \
        }                                                                                        \
        do {                                                                                     \
            for (int32_t n = 0; n < config->dims[last]; ++n) {                                   \
                const A *left = a + walk.a + (ptrdiff_t)n * config->a_stack[last];               \
                const B *right = b + walk.b + (ptrdiff_t)n * config->b_stack[last];              \
                Y *to = y + walk.c + (ptrdiff_t)n * config->y_stack[last];                       \
                for (int32_t i = 0; i < config->rows; ++i) {                                     \
                    const int32_t a_offset =                                                     \
                        a_zero == NULL ? 0 : a_zero[i * config->a_zero_step];                    \
                    for (int32_t j = 0; j < config->columns; ++j) {                              \
                        const int32_t b_offset =                                                 \
                            b_zero == NULL ? 0 : b_zero[j * config->b_zero_step];                \
                        uint32_t sum = 0u;                                                       \
                        for (int32_t k = 0; k < config->depth; ++k) {                            \
                            const int32_t u = left[(ptrdiff_t)i * config->a_row                  \
                                                   + (ptrdiff_t)k * config->a_depth] - a_offset; \
                            const int32_t v = right[(ptrdiff_t)k * config->b_depth               \
                                                    + (ptrdiff_t)j * config->b_column] - b_offset; \
                            sum += (uint32_t)(u * v);                                            \
                        }                                                                        \
                        *to++ = (Y)(VALUE);                                                      \
                    }                                                                            \
                }                                                                                \
            }                                                                                    \
        } while (nb_next_row(&walk, config->rank, config->dims, config->a_stack,                 \
                             config->b_stack, config->y_stack));                                 \
    }

#define NB_WITH_BIAS                                                     \
    ((int32_t)(sum + (bias == NULL ? 0u : (uint32_t)bias[i * config->bias_row \
                                                         + j * config->bias_column])))

#define NB_PRODUCTS(SUFFIX, A, B)                                                              \
    void nb_matmul_integer_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,      \
                                    const B *b, const A *a_zero, const B *b_zero, int32_t *y)  \
    NB_ALL_PRODUCTS(A, B, int32_t, sum)                                                        \
    void nb_matmul_quantized_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,    \
                                      const B *b, const A *a_zero, const B *b_zero,            \
                                      const int32_t *bias, const float *factor,                \
                                      const A *y_zero, A *y)                                   \
    NB_ALL_PRODUCTS(A, B, A,                                                                   \
                    nb_requantized(NB_WITH_BIAS,                                               \
                                   factor[i * config->factor_row + j * config->factor_column], \
                                   *y_zero, NB_LEAST(A), NB_LARGEST(A)))                       \
    void nb_matmul_scaled_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,       \
                                   const B *b, const A *a_zero, const B *b_zero,               \
                                   const int32_t *bias, const float *a_scale,                  \
                                   const float *b_scale, const float *added, float *y)         \
    NB_ALL_PRODUCTS(A, B, float,                                                               \
                    (float)NB_WITH_BIAS                                                        \
                            * (a_scale[i * config->factor_row]                                 \
                               * b_scale[j * config->factor_column])                           \
                        + (added == NULL ? 0.0f : added[j]))

NB_QUANTIZED_PAIRS(NB_PRODUCTS)
