/* SPDX-License-Identifier: MIT-0 */
#include "nb_exponential.h"

/* Defines a kernel that gives VALUE, an expression of v, alpha and gamma, for each element v. */
#define NB_EXPONENTIAL(NAME, VALUE)                                          \
    void NAME(const nb_exponential_config *config, const float *x, float *y) \
    {                                                                        \
        const int32_t count = config->count;                                 \
        const float alpha = config->alpha;                                   \
        const float gamma = config->gamma;                                   \
        (void)alpha;                                                         \
        (void)gamma;                                                         \
        for (int32_t i = 0; i < count; ++i) {                                \
            const float v = x[i];                                            \
            y[i] = (VALUE);                                                  \
        }                                                                    \
    }

static inline float nb_elu(float x, float alpha)
{
    const float negative = alpha * nb_expm1(x > 0.0f ? 0.0f : x);
    return x > 0.0f ? x : negative;
}

static inline float nb_celu(float x, float alpha)
{
    const float positive = x < 0.0f ? 0.0f : x;
    const float curve = alpha * nb_expm1(x / alpha);
    return positive + (curve > 0.0f ? 0.0f : curve);
}

NB_EXPONENTIAL(nb_exp_f32, nb_exp(v))
NB_EXPONENTIAL(nb_ln_f32, nb_log(v))
NB_EXPONENTIAL(nb_erf_f32, nb_erf(v))
NB_EXPONENTIAL(nb_sinh_f32, nb_sinh(v))
NB_EXPONENTIAL(nb_cosh_f32, nb_cosh(v))
NB_EXPONENTIAL(nb_tanh_f32, nb_tanh(v))
NB_EXPONENTIAL(nb_asinh_f32, nb_asinh(v))
NB_EXPONENTIAL(nb_acosh_f32, nb_acosh(v))
NB_EXPONENTIAL(nb_atanh_f32, nb_atanh(v))
NB_EXPONENTIAL(nb_sigmoid_f32, nb_sigmoid(v))
NB_EXPONENTIAL(nb_swish_f32, nb_sigmoid(alpha * v) * v)
NB_EXPONENTIAL(nb_softplus_f32, nb_softplus(v))
NB_EXPONENTIAL(nb_mish_f32, v * nb_tanh(nb_softplus(v)))
NB_EXPONENTIAL(nb_elu_f32, nb_elu(v, alpha))
NB_EXPONENTIAL(nb_celu_f32, nb_celu(v, alpha))
NB_EXPONENTIAL(nb_selu_f32, nb_elu(v, alpha) * gamma)
NB_EXPONENTIAL(nb_gelu_f32, ((nb_erf(v * 0x1.6a09e6p-1f) + 1.0f) * v) * 0.5f)
NB_EXPONENTIAL(nb_gelu_tanh_f32,
               ((nb_tanh((((0.044715f * v) * v) * v + v) * 0x1.988454p-1f) + 1.0f) * v) * 0.5f)
