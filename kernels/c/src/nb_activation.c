/* SPDX-License-Identifier: MIT-0 */
#include "nb_activation.h"

#include "nb_float.h"

/* Defines a kernel that gives VALUE, an expression of v, alpha and beta, for each element v. */
#define NB_ACTIVATION(NAME, VALUE)                                          \
    void NAME(const nb_activation_config *config, const float *x, float *y) \
    {                                                                       \
        const int32_t count = config->count;                                \
        const float alpha = config->alpha;                                  \
        const float beta = config->beta;                                    \
        (void)alpha;                                                        \
        (void)beta;                                                         \
        for (int32_t i = 0; i < count; ++i) {                               \
            const float v = x[i];                                           \
            y[i] = (VALUE);                                                 \
        }                                                                   \
    }

static inline float nb_between(float x, float low, float high)
{
    const float above = x < low ? low : x;
    return above > high ? high : above;
}

NB_ACTIVATION(nb_leaky_relu_f32, v > 0.0f ? v : alpha * v)
NB_ACTIVATION(nb_clip_f32, nb_between(v, alpha, beta))
NB_ACTIVATION(nb_hard_sigmoid_f32, nb_between(alpha * v + beta, 0.0f, 1.0f))
NB_ACTIVATION(nb_hard_swish_f32, nb_between(alpha * v + beta, 0.0f, 1.0f) * v)
NB_ACTIVATION(nb_thresholded_relu_f32, v > alpha ? v : 0.0f)
NB_ACTIVATION(nb_softsign_f32, v / (1.0f + nb_abs(v)))
NB_ACTIVATION(nb_heaviside_f32, v > 0.0f ? 1.0f : v == 0.0f ? alpha : 0.0f)
