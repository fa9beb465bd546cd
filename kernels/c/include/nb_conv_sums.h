/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_sums: convolutions of whole numbers, written once for all types of data and of sums.
 */
#ifndef NB_CONV_SUMS_H
#define NB_CONV_SUMS_H

#include "nb_blocks.h"
#include "nb_conv_taps.h"

#define NB_SIDE 16 /* results along a row that are computed together */

/* Defines COUNT sums along a row, STEP apart in the input, over the columns of the kernel given. */
#define NB_SUMS(NAME, COUNT, STEP, X, W, SUM)                                            \
    static void NAME(const nb_conv_config *c, const nb_conv_steps *s,                    \
                     const nb_conv_place *place, const X *x, const W *w, int32_t x_zero, \
                     int32_t w_zero, SUM *sums)                                          \
    {                                                                                    \
        SUM sum[COUNT] = {0u};                                                           \
        NB_OVER_LINES(c, s, place, 1, {                                                  \
            NB_AROUND_LANES                                                              \
            for (int32_t kw = place->width.first; kw < place->width.end; ++kw) {         \
                const int32_t factor = w[line_tap + kw] - w_zero;                        \
                const X *from = x + (line_data + kw * s->column);                        \
                NB_OVER_LANES                                                            \
                for (int32_t i = 0; i < (COUNT); ++i) {                                  \
                    sum[i] += (SUM)(factor * (from[(ptrdiff_t)i * (STEP)] - x_zero));    \
                }                                                                        \
            }                                                                            \
        })                                                                               \
        for (int32_t i = 0; i < (COUNT); ++i) {                                          \
            sums[i] = sum[i];                                                            \
        }                                                                                \
    }

/* Defines a convolution that gives VALUE, an expression of `sum` and `out`, for each result. */
#define NB_ALL_SUMS(SUFFIX, X, W, Y, SUM, VALUE)                                               \
    {                                                                                          \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                  \
        const int32_t channels = config->groups * config->out_channels;                        \
        const int32_t offset = x_zero == NULL ? 0 : *x_zero;                                   \
        const int32_t step = config->strides[2];                                               \
        const ptrdiff_t behind = steps.out_channel - nb_conv_results(config);                  \
        for (int32_t sample = 0; sample < config->batch; ++sample) {                           \
            for (int32_t out = 0; out < channels; ++out) {                                     \
                const ptrdiff_t group =                                                        \
                    (ptrdiff_t)sample * config->groups + out / config->out_channels;           \
                const X *from = x + group * config->in_channels * steps.channel;               \
                const W *by = w + (ptrdiff_t)out * config->in_channels * steps.taps;           \
                const int32_t by_zero = w_zero == NULL ? 0 : w_zero[out];                      \
                for (int32_t place = 0; place < config->out_dims[0] * config->out_dims[1];     \
                     ++place) {                                                                \
                    const nb_conv_place row = nb_conv_row(config, place / config->out_dims[1], \
                                                          place % config->out_dims[1]);        \
                    int32_t column = 0;                                                        \
                    while (column < config->out_dims[2]) {                                     \
                        SUM sums[NB_SIDE];                                                     \
                        const nb_conv_place at = nb_conv_at(config, &row, column);             \
                        const int is_inner = step <= 2 && column >= steps.inner.first          \
                            && column + NB_SIDE <= steps.inner.end;                            \
                        const int32_t count = is_inner ? NB_SIDE : 1;                          \
                        if (!is_inner) {                                                       \
                            nb_sum_##SUFFIX(config, &steps, &at, from, by, offset, by_zero,    \
                                            sums);                                             \
                        } else if (step == 1) {                                                \
                            nb_sums_##SUFFIX(config, &steps, &at, from, by, offset, by_zero,   \
                                             sums);                                            \
                        } else {                                                               \
                            nb_sums_2_##SUFFIX(config, &steps, &at, from, by, offset, by_zero, \
                                               sums);                                          \
                        }                                                                      \
                        for (int32_t i = 0; i < count; ++i) {                                  \
                            const SUM sum = sums[i];                                           \
                            *y++ = (Y)(VALUE);                                                 \
                        }                                                                      \
                        column += count;                                                       \
                    }                                                                          \
                }                                                                              \
                y += behind;                                                                   \
            }                                                                                  \
        }                                                                                      \
    }

#endif
