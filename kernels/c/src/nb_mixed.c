/* SPDX-License-Identifier: MIT-0 */
#include "nb_mixed.h"

#include "nb_conv_sums.h"
#include "nb_products.h"

#define NB_MIXED_SUMS(SUFFIX, X, SUM)                       \
    NB_SUMS(nb_sum_##SUFFIX, 1, 1, X, int8_t, SUM)          \
    NB_SUMS(nb_sums_##SUFFIX, NB_SIDE, 1, X, int8_t, SUM)   \
    NB_SUMS(nb_sums_2_##SUFFIX, NB_SIDE, 2, X, int8_t, SUM)

NB_MIXED_SUMS(int8_t_32, int8_t, int32_t)
NB_MIXED_SUMS(uint8_t_32, uint8_t, int32_t)
NB_MIXED_SUMS(int16_t_32, int16_t, int32_t)
NB_MIXED_SUMS(uint16_t_32, uint16_t, int32_t)
NB_MIXED_SUMS(int8_t_64, int8_t, int64_t)
NB_MIXED_SUMS(uint8_t_64, uint8_t, int64_t)
NB_MIXED_SUMS(int16_t_64, int16_t, int64_t)
NB_MIXED_SUMS(uint16_t_64, uint16_t, int64_t)

#define NB_CONV_MIXED(NAME, X, Y, SUFFIX, SUM)                                                     \
    void NAME(const nb_conv_config *config, const X *x, const int8_t *w, const X *x_zero,          \
              const int32_t *bias, const float *factor, const Y *y_zero, Y *y)                     \
    {                                                                                              \
        const int32_t *w_zero = NULL;                                                              \
        NB_ALL_SUMS(SUFFIX, X, int8_t, Y, SUM,                                                     \
                    NB_MIXED_CODE(Y, (float)(sum + (bias == NULL ? 0 : bias[out])) * factor[out],  \
                                  *y_zero))                                                        \
    }

#define NB_CONVS_MIXED(SUFFIX, X, Y)                                          \
    NB_CONV_MIXED(nb_conv_mixed_##SUFFIX, X, Y, X##_32, int32_t)              \
    NB_CONV_MIXED(nb_conv_mixed_long_##SUFFIX, X, Y, X##_64, int64_t)

NB_MIXED_CODES(NB_CONVS_MIXED)

#define NB_BIAS (bias == NULL ? 0 : bias[i * config->bias_row + j * config->bias_column])
#define NB_FACTOR factor[i * config->factor_row + j * config->factor_column]

#define NB_MATMUL_MIXED(SUFFIX, A, B, Y)                                                     \
    void nb_matmul_mixed_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,      \
                                  const B *b, const A *a_zero, const B *b_zero,              \
                                  const int32_t *bias, const float *factor, const Y *y_zero, \
                                  Y *y)                                                      \
    NB_ALL_PRODUCTS(A, B, Y, int64_t,                                                        \
                    NB_MIXED_CODE(Y, (float)(sum + NB_BIAS) * NB_FACTOR, *y_zero))

NB_MIXED_PRODUCTS(NB_MATMUL_MIXED)
