/* SPDX-License-Identifier: MIT-0 */
#include "nb_exponential.h"

#include "nb_vec_exp.h"

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

/* The same where STEPS make a vector v of elements to one of results. */
#if NB_VL == 1
#define NB_EXPONENTIAL_VEC(NAME, STEPS, VALUE) NB_EXPONENTIAL(NAME, VALUE)
#else
#define NB_EXPONENTIAL_VEC(NAME, STEPS, VALUE)                                    \
    static inline float NAME##_lost(float v, float alpha)                         \
    {                                                                             \
        (void)alpha;                                                              \
        return VALUE;                                                             \
    }                                                                             \
                                                                                  \
    void NAME(const nb_exponential_config *config, const float *x, float *y)      \
    {                                                                             \
        const float alpha = config->alpha;                                        \
        const uint32_t before = nb_watch();                                       \
        (void)alpha;                                                              \
        NB_EACH_VEC(config->count, x, y, STEPS, NAME##_lost(u, alpha))            \
        nb_unwatch(before);                                                       \
    }
#endif

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

#if NB_VL > 1
static inline void nb_swish_vec(nb_vec *x, float alpha)
{
    nb_vec factor = alpha * *x;
    nb_sigmoid_vec(&factor);
    *x = factor * *x;
}

static inline void nb_mish_vec(nb_vec *x)
{
    nb_vec factor = *x;
    nb_softplus_vec(&factor);
    nb_tanh_vec(&factor);
    *x = *x * factor;
}

static inline void nb_gelu_vec(nb_vec *x)
{
    nb_vec factor = *x * 0x1.6a09e6p-1f;
    nb_erf_vec(&factor);
    *x = ((factor + 1.0f) * *x) * 0.5f;
}

static inline void nb_gelu_tanh_vec(nb_vec *x)
{
    nb_vec factor = (((0.044715f * *x) * *x) * *x + *x) * 0x1.988454p-1f;
    nb_tanh_vec(&factor);
    *x = ((factor + 1.0f) * *x) * 0.5f;
}
#endif

NB_EXPONENTIAL_VEC(nb_exp_f32, nb_exp_vec(&v), nb_exp(v))
NB_EXPONENTIAL_VEC(nb_ln_f32, nb_log_vec(&v), nb_log(v))
NB_EXPONENTIAL_VEC(nb_erf_f32, nb_erf_vec(&v), nb_erf(v))
NB_EXPONENTIAL_VEC(nb_tanh_f32, nb_tanh_vec(&v), nb_tanh(v))
NB_EXPONENTIAL_VEC(nb_sigmoid_f32, nb_sigmoid_vec(&v), nb_sigmoid(v))
NB_EXPONENTIAL_VEC(nb_swish_f32, nb_swish_vec(&v, alpha), nb_sigmoid(alpha * v) * v)
NB_EXPONENTIAL_VEC(nb_softplus_f32, nb_softplus_vec(&v), nb_softplus(v))
NB_EXPONENTIAL_VEC(nb_mish_f32, nb_mish_vec(&v), v * nb_tanh(nb_softplus(v)))
NB_EXPONENTIAL_VEC(nb_gelu_f32, nb_gelu_vec(&v),
                   ((nb_erf(v * 0x1.6a09e6p-1f) + 1.0f) * v) * 0.5f)
NB_EXPONENTIAL_VEC(nb_gelu_tanh_f32, nb_gelu_tanh_vec(&v),
                   ((nb_tanh((((0.044715f * v) * v) * v + v) * 0x1.988454p-1f) + 1.0f) * v) * 0.5f)
NB_EXPONENTIAL(nb_sinh_f32, nb_sinh(v))
NB_EXPONENTIAL(nb_cosh_f32, nb_cosh(v))
NB_EXPONENTIAL(nb_asinh_f32, nb_asinh(v))
NB_EXPONENTIAL(nb_acosh_f32, nb_acosh(v))
NB_EXPONENTIAL(nb_atanh_f32, nb_atanh(v))
NB_EXPONENTIAL(nb_elu_f32, nb_elu(v, alpha))
NB_EXPONENTIAL(nb_celu_f32, nb_celu(v, alpha))
NB_EXPONENTIAL(nb_selu_f32, nb_elu(v, alpha) * gamma)
