/* SPDX-License-Identifier: MIT-0 */
#include "nb_norm.h"

#include "nb_float.h"

void nb_batch_norm_f32(const nb_batch_norm_config *config, const float *x, const float *scale,
                       const float *shift, const float *mean, const float *variance, float *y)
{
    const int32_t size = config->size;
    for (int32_t sample = 0; sample < config->batch; ++sample) {
        for (int32_t channel = 0; channel < config->channels; ++channel) {
            const float factor = scale[channel] / nb_sqrt(variance[channel] + config->epsilon);
            const float product = mean[channel] * factor;
            const float offset = shift[channel] - product;
            for (int32_t i = 0; i < size; ++i) {
                y[i] = x[i] * factor + offset;
            }
            x += size;
            y += size;
        }
    }
}

#define NB_ROWS_TOGETHER 8 /* each has sums of its own */

/* Defines the normalization of ROWS rows; without a mean to subtract it is that of RMS. */
#define NB_STANDARDIZE(NAME, ROWS, MEAN)                                                   \
    static void NAME(const nb_standardize_config *c, const float *x, float *y)             \
    {                                                                                      \
        const ptrdiff_t size = c->size;                                                    \
        float mean[ROWS];                                                                  \
        float square[ROWS];                                                                \
        for (int32_t i = 0; i < (ROWS); ++i) {                                             \
            mean[i] = 0.0f;                                                                \
            square[i] = 0.0f;                                                              \
        }                                                                                  \
        for (int32_t k = 0; k < (MEAN) * c->size; ++k) {                                   \
            for (int32_t i = 0; i < (ROWS); ++i) {                                         \
                mean[i] += x[i * size + k];                                                \
            }                                                                              \
        }                                                                                  \
        for (int32_t i = 0; i < (ROWS); ++i) {                                             \
            mean[i] = (MEAN) != 0 ? mean[i] / c->count : 0.0f;                             \
        }                                                                                  \
        for (int32_t k = 0; k < c->size; ++k) {                                            \
            for (int32_t i = 0; i < (ROWS); ++i) {                                         \
                const float v = (MEAN) != 0 ? x[i * size + k] - mean[i] : x[i * size + k]; \
                square[i] += v * v;                                                        \
            }                                                                              \
        }                                                                                  \
        for (int32_t i = 0; i < (ROWS); ++i) {                                             \
            const float factor = 1.0f / nb_sqrt(square[i] / c->count + c->epsilon);        \
            for (int32_t k = 0; k < c->size; ++k) {                                        \
                const float v = (MEAN) != 0 ? x[i * size + k] - mean[i] : x[i * size + k]; \
                y[i * size + k] = v * factor;                                              \
            }                                                                              \
        }                                                                                  \
    }

NB_STANDARDIZE(nb_standardize_many, NB_ROWS_TOGETHER, 1)
NB_STANDARDIZE(nb_standardize_one, 1, 1)
NB_STANDARDIZE(nb_rms_many, NB_ROWS_TOGETHER, 0)
NB_STANDARDIZE(nb_rms_one, 1, 0)

#define NB_ALL_ROWS(MANY, ONE)                                                    \
    {                                                                             \
        const ptrdiff_t size = config->size;                                      \
        int32_t row = 0;                                                          \
        for (; row + NB_ROWS_TOGETHER <= config->rows; row += NB_ROWS_TOGETHER) { \
            MANY(config, x + row * size, y + row * size);                         \
        }                                                                         \
        for (; row < config->rows; ++row) {                                       \
            ONE(config, x + row * size, y + row * size);                          \
        }                                                                         \
    }

void nb_standardize_f32(const nb_standardize_config *config, const float *x, float *y)
NB_ALL_ROWS(nb_standardize_many, nb_standardize_one)

void nb_divide_by_rms_f32(const nb_standardize_config *config, const float *x, float *y)
NB_ALL_ROWS(nb_rms_many, nb_rms_one)
