/* SPDX-License-Identifier: MIT-0 */
#include "nb_matmul_quantized.h"

#include "nb_products.h"
#include "nb_quantize.h"

#define NB_WITH_BIAS                                                          \
    ((int32_t)(sum + (bias == NULL ? 0u : (uint32_t)bias[i * config->bias_row \
                                                         + j * config->bias_column])))

#define NB_PRODUCTS(SUFFIX, A, B)                                                              \
    void nb_matmul_integer_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,      \
                                    const B *b, const A *a_zero, const B *b_zero, int32_t *y)  \
    NB_ALL_PRODUCTS(A, B, int32_t, uint32_t, sum)                                              \
    void nb_matmul_quantized_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,    \
                                      const B *b, const A *a_zero, const B *b_zero,            \
                                      const int32_t *bias, const float *factor,                \
                                      const A *y_zero, A *y)                                   \
    NB_ALL_PRODUCTS(A, B, A, uint32_t,                                                         \
                    nb_requantized(NB_WITH_BIAS,                                               \
                                   factor[i * config->factor_row + j * config->factor_column], \
                                   *y_zero, NB_LEAST(A), NB_LARGEST(A)))                       \
    void nb_matmul_scaled_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,       \
                                   const B *b, const A *a_zero, const B *b_zero,               \
                                   const int32_t *bias, const float *a_scale,                  \
                                   const float *b_scale, const float *added, float *y)         \
    NB_ALL_PRODUCTS(A, B, float, uint32_t,                                                     \
                    (float)NB_WITH_BIAS                                                        \
                            * (a_scale[i * config->factor_row]                                 \
                               * b_scale[j * config->factor_column])                           \
                        + (added == NULL ? 0.0f : added[j]))

NB_QUANTIZED_PAIRS(NB_PRODUCTS)
