/* SPDX-License-Identifier: MIT-0 */
#include "nb_mixed_codes.h"

#define NB_NUMBER(CODE, SCALE, ZERO) ((float)((CODE) - (int32_t)(ZERO)) * (SCALE))

#define NB_BINARY_MIXED(NAME, X, Y, OPERATOR)                                                     \
    void NAME(const nb_binary_config *config, const X *a, const X *b, const float *by, Y *y)      \
    NB_BINARY_BODY(X, Y,                                                                          \
                   NB_MIXED_CODE(Y,                                                               \
                                 (NB_NUMBER(u, by[0], by[1]) OPERATOR NB_NUMBER(v, by[2], by[3])) \
                                     / by[4],                                                     \
                                 (int32_t)by[5]))

#define NB_DEFINE_MIXED(SUFFIX, X, Y)                                                             \
    NB_BINARY_MIXED(nb_add_mixed_##SUFFIX, X, Y, +)                                               \
    NB_BINARY_MIXED(nb_mul_mixed_##SUFFIX, X, Y, *)                                               \
    void nb_mean_mixed_##SUFFIX(const nb_mean_codes_config *config, const X *x, const float *by,  \
                                Y *y)                                                             \
    {                                                                                             \
        NB_LINES_OF_CODES({                                                                       \
            int64_t sum = -((int64_t)by[1] * config->size);                                       \
            for (int32_t k = 0; k < config->size; ++k) {                                          \
                sum += x[start + k * step];                                                       \
            }                                                                                     \
            *y++ = NB_MIXED_CODE(Y, (float)sum * by[0], (int32_t)by[2]);                          \
        })                                                                                        \
    }                                                                                             \
    void nb_rescale_codes_##SUFFIX(const nb_rescale_codes_config *config, const X *x,             \
                                   const float *by, Y *y)                                         \
    {                                                                                             \
        for (int32_t i = 0; i < config->count; ++i) {                                             \
            const float number = NB_NUMBER(x[i], by[0], by[1]);                                   \
            const float kept = number < 0.0f ? number * by[4] : number;                           \
            y[i] = (Y)nb_quantized_wide(kept / by[2], (int32_t)by[3], config->least,              \
                                        config->most);                                            \
        }                                                                                         \
    }

NB_MIXED_CODES(NB_DEFINE_MIXED)
