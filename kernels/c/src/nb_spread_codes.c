/* SPDX-License-Identifier: MIT-0 */
#include "nb_spread_codes.h"

#include "nb_quantize.h"

/* The element whose window has a result at this tap, along one axis; -1 when there is none. */
static int32_t nb_giver(const nb_conv_transposed_config *c, int32_t axis, int32_t at, int32_t tap)
{
    const int32_t place = at + c->pads[axis] - tap * c->dilations[axis];
    const int32_t giver = place < 0 ? -1 : place / c->strides[axis];
    return giver * c->strides[axis] == place && giver < c->in_dims[axis] ? giver : -1;
}

#define NB_SPREAD(SUFFIX, X, W)                                                                    \
    static int32_t nb_spread_sum_##SUFFIX(const nb_conv_transposed_config *c, const X *x,          \
                                          const W *w, int32_t x_zero, int32_t w_zero,              \
                                          const int32_t *at)                                       \
    {                                                                                              \
        const ptrdiff_t from_step = (ptrdiff_t)c->in_dims[0] * c->in_dims[1] * c->in_dims[2];      \
        const ptrdiff_t by_step =                                                                  \
            (ptrdiff_t)c->out_channels * c->kernel[0] * c->kernel[1] * c->kernel[2];               \
        uint32_t sum = 0u;                                                                         \
        for (int32_t kd = 0; kd < c->kernel[0]; ++kd) {                                            \
            const int32_t depth = nb_giver(c, 0, at[0], kd);                                       \
            for (int32_t kh = 0; depth >= 0 && kh < c->kernel[1]; ++kh) {                          \
                const int32_t line = nb_giver(c, 1, at[1], kh);                                    \
                for (int32_t kw = 0; line >= 0 && kw < c->kernel[2]; ++kw) {                       \
                    const int32_t column = nb_giver(c, 2, at[2], kw);                              \
                    if (column < 0) {                                                              \
                        continue;                                                                  \
                    }                                                                              \
                    const X *from = x                                                              \
                        + ((ptrdiff_t)depth * c->in_dims[1] + line) * c->in_dims[2] + column;      \
                    const W *by = w + ((ptrdiff_t)kd * c->kernel[1] + kh) * c->kernel[2] + kw;     \
                    for (int32_t in = 0; in < c->in_channels; ++in) {                              \
                        sum += (uint32_t)((from[in * from_step] - x_zero)                          \
                                          * (by[in * by_step] - w_zero));                          \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return (int32_t)sum;                                                                       \
    }                                                                                              \
    void nb_spread_codes_##SUFFIX(const nb_conv_transposed_config *config, const X *x,             \
                                  const W *w, const X *x_zero, const int32_t *w_zero,              \
                                  const int32_t *bias, const float *factor, const X *y_zero, X *y) \
    {                                                                                              \
        const nb_conv_transposed_config *c = config;                                               \
        const ptrdiff_t in_size = (ptrdiff_t)c->in_dims[0] * c->in_dims[1] * c->in_dims[2];        \
        const ptrdiff_t taps = (ptrdiff_t)c->kernel[0] * c->kernel[1] * c->kernel[2];              \
        const int32_t channels = c->groups * c->out_channels;                                      \
        for (int32_t sample = 0; sample < c->batch; ++sample) {                                    \
            for (int32_t out = 0; out < channels; ++out) {                                         \
                const int32_t group = out / c->out_channels;                                       \
                const ptrdiff_t first = (ptrdiff_t)group * c->in_channels;                         \
                const X *from =                                                                    \
                    x + ((ptrdiff_t)sample * c->groups * c->in_channels + first) * in_size;        \
                const W *by = w + (first * c->out_channels + out % c->out_channels) * taps;        \
                const int32_t by_zero = w_zero == NULL ? 0 : w_zero[out];                          \
                const uint32_t start = bias == NULL ? 0u : (uint32_t)bias[out];                    \
                int32_t at[3];                                                                     \
                for (at[0] = 0; at[0] < c->out_dims[0]; ++at[0]) {                                 \
                    for (at[1] = 0; at[1] < c->out_dims[1]; ++at[1]) {                             \
                        for (at[2] = 0; at[2] < c->out_dims[2]; ++at[2]) {                         \
                            const int32_t sum =                                                    \
                                nb_spread_sum_##SUFFIX(c, from, by, *x_zero, by_zero, at);         \
                            *y++ = (X)nb_requantized((int32_t)((uint32_t)sum + start),             \
                                                     factor[out], *y_zero, NB_LEAST(X),            \
                                                     NB_LARGEST(X));                               \
                        }                                                                          \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

NB_QUANTIZED_PAIRS(NB_SPREAD)
