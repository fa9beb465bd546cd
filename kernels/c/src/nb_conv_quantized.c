/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_quantized.h"

#include "nb_conv_sums.h"
#include "nb_quantize.h"
#include "nb_rescale.h"

#define NB_CONVS(SUFFIX, X, W)                                                                   \
    NB_SUMS(nb_sum_##SUFFIX, 1, 1, X, W, uint32_t)                                               \
    NB_SUMS(nb_sums_##SUFFIX, NB_SIDE, 1, X, W, uint32_t)                                        \
    NB_SUMS(nb_sums_2_##SUFFIX, NB_SIDE, 2, X, W, uint32_t)                                      \
    void nb_conv_integer_##SUFFIX(const nb_conv_config *config, const X *x, const W *w,          \
                                  const X *x_zero, const int32_t *w_zero, int32_t *y)            \
    NB_ALL_SUMS(SUFFIX, X, W, int32_t, uint32_t, sum)                                            \
    void nb_conv_quantized_##SUFFIX(const nb_conv_config *config, const X *x, const W *w,        \
                                    const X *x_zero, const int32_t *w_zero, const int32_t *bias, \
                                    const float *factor, const X *y_zero, X *y)                  \
    NB_ALL_SUMS(SUFFIX, X, W, X, uint32_t,                                                       \
                nb_requantized((int32_t)(sum + (bias == NULL ? 0u : (uint32_t)bias[out])),       \
                               factor[out], *y_zero, NB_LEAST(X), NB_LARGEST(X)))

NB_QUANTIZED_PAIRS(NB_CONVS)

/* Sums are rescaled by a whole number and a shift per output channel. */
void nb_conv_fixed_i8i8(const nb_conv_config *config, const int8_t *x, const int8_t *w,
                        const int8_t *x_zero, const int32_t *w_zero, const int32_t *bias,
                        const int32_t *factor, const int32_t *ends, int8_t *y)
NB_ALL_SUMS(i8i8, int8_t, int8_t, int8_t, uint32_t,
            nb_code(nb_rescaled((int32_t)(sum + (bias == NULL ? 0u : (uint32_t)bias[out])),
                                factor[2 * out], factor[2 * out + 1]),
                    ends[0], ends[1], ends[2]))
