/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_codes.h"

#include "nb_codes_out.h"
#include "nb_conv_taps.h"
#include "nb_dot.h"

/* Whether all taps of a place are inside. */
static inline int nb_is_full(const nb_conv_config *c, const nb_conv_place *place)
{
    return place->depth.end - place->depth.first == c->kernel[0]
        && place->height.end - place->height.first == c->kernel[1]
        && place->width.end - place->width.first == c->kernel[2];
}

#define NB_DENSE(SUFFIX, X, OUT, KIND, ENDS, CODE, GIVEN, PAIRS, END, ALL)                         \
    /* The data under the taps of a place. */                                                      \
    static void nb_column_##SUFFIX(const nb_conv_config *c, const nb_conv_steps *s,                \
                                   const nb_conv_place *place, const X *x, int16_t zero,           \
                                   int16_t *to)                                                    \
    {                                                                                              \
        if (s->taps == 1 && nb_is_full(c, place)) {                                                \
            const X *from = x + place->start;                                                      \
            for (int32_t channel = 0; channel < c->in_channels; ++channel) {                       \
                to[channel] = *from;                                                               \
                from += s->channel;                                                                \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        if (!nb_is_full(c, place)) {                                                               \
            nb_repeat(to, c->in_channels * s->taps, zero);                                         \
        }                                                                                          \
        NB_OVER_LINES(c, s, place, 1, {                                                            \
            for (int32_t kw = place->width.first; kw < place->width.end; ++kw) {                   \
                to[line_tap + kw] = x[line_data + kw * s->column];                                 \
            }                                                                                      \
        })                                                                                         \
    }                                                                                              \
                                                                                                   \
    /* The same for two neighbours in a row whose taps are all inside. */                          \
    static void nb_columns_##SUFFIX(const nb_conv_config *c, const nb_conv_steps *s,               \
                                    const nb_conv_place *place, const X *x, int16_t *first,        \
                                    int16_t *second)                                               \
    {                                                                                              \
        const ptrdiff_t step = c->strides[2];                                                      \
        if (s->taps == 1) {                                                                        \
            const X *from = x + place->start;                                                      \
            for (int32_t channel = 0; channel < c->in_channels; ++channel) {                       \
                first[channel] = from[0];                                                          \
                second[channel] = from[step];                                                      \
                from += s->channel;                                                                \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        NB_OVER_LINES(c, s, place, 1, {                                                            \
            const X *from = x + line_data;                                                         \
            int16_t *left = first + line_tap;                                                      \
            int16_t *right = second + line_tap;                                                    \
            if (c->kernel[2] == 3) {                                                               \
                const ptrdiff_t near = s->column;                                                  \
                left[0] = from[0];                                                                 \
                right[0] = from[step];                                                             \
                left[1] = from[near];                                                              \
                right[1] = from[near + step];                                                      \
                left[2] = from[2 * near];                                                          \
                right[2] = from[2 * near + step];                                                  \
            } else {                                                                               \
                for (int32_t kw = 0; kw < c->kernel[2]; ++kw) {                                    \
                    left[kw] = from[0];                                                            \
                    right[kw] = from[step];                                                        \
                    from += s->column;                                                             \
                }                                                                                  \
            }                                                                                      \
        })                                                                                         \
    }                                                                                              \
                                                                                                   \
    static void nb_two_results_##SUFFIX(const OUT *out, const int16_t *columns, X *y)              \
    {                                                                                              \
        const OUT o = *out; /* a copy, which stores cannot change */                               \
        const int8_t *w = o.w;                                                                     \
        for (int32_t channel = 0; channel < o.channels; channel += 2) {                            \
            uint32_t sums[4];                                                                      \
            nb_dot_2_by_2(w, columns, o.depth, sums);                                              \
            const int32_t first = o.bias[channel];                                                 \
            const KIND by = o.factor[channel];                                                     \
            y[0] = CODE(X, sums[0], first, by, o.zero);                                            \
            y[1] = CODE(X, sums[1], first, by, o.zero);                                            \
            if (channel + 1 < o.channels) {                                                        \
                const int32_t second = o.bias[channel + 1];                                        \
                const KIND by_second = o.factor[channel + 1];                                      \
                y[o.out_size] = CODE(X, sums[2], second, by_second, o.zero);                       \
                y[o.out_size + 1] = CODE(X, sums[3], second, by_second, o.zero);                   \
            }                                                                                      \
            y += 2 * o.out_size;                                                                   \
            w += 2 * (ptrdiff_t)o.depth;                                                           \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void nb_one_result_##SUFFIX(const OUT *out, const int16_t *column, X *y)                \
    {                                                                                              \
        const OUT o = *out; /* a copy, which stores cannot change */                               \
        const int8_t *w = o.w;                                                                     \
        for (int32_t channel = 0; channel < o.channels; channel += 4) {                            \
            const int32_t left = o.channels - channel < 4 ? o.channels - channel : 4;              \
            uint32_t sums[4];                                                                      \
            nb_dot_4_by_1(w, left > 2 ? w + 2 * (ptrdiff_t)o.depth : w, column, o.depth, sums);    \
            for (int32_t i = 0; i < left; ++i) {                                                   \
                *y = CODE(X, sums[i], o.bias[channel + i], o.factor[channel + i], o.zero);         \
                y += o.out_size;                                                                   \
            }                                                                                      \
            w += 4 * (ptrdiff_t)o.depth;                                                           \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* All results of a group, two at a time. */                                                   \
    static void nb_group_##SUFFIX(const nb_conv_config *c, const nb_conv_steps *s,                 \
                                  const OUT *out, const X *x, int16_t zero, X *y,                  \
                                  int16_t *columns)                                                \
    {                                                                                              \
        int32_t waiting = 0;                                                                       \
        for (int32_t place = 0; place < c->out_dims[0] * c->out_dims[1]; ++place) {                \
            const nb_conv_place row =                                                              \
                nb_conv_row(c, place / c->out_dims[1], place % c->out_dims[1]);                    \
            int32_t column = 0;                                                                    \
            while (column < c->out_dims[2]) {                                                      \
                const nb_conv_place at = nb_conv_at(c, &row, column);                              \
                if (waiting == 0 && column >= s->inner.first && column + 2 <= s->inner.end         \
                    && nb_is_full(c, &at)) {                                                       \
                    nb_columns_##SUFFIX(c, s, &at, x, columns, columns + out->depth);              \
                    waiting = 2;                                                                   \
                    column += 2;                                                                   \
                } else {                                                                           \
                    nb_column_##SUFFIX(c, s, &at, x, zero, columns + waiting * out->depth);        \
                    waiting += 1;                                                                  \
                    column += 1;                                                                   \
                }                                                                                  \
                if (waiting == 2) {                                                                \
                    nb_two_results_##SUFFIX(out, columns, y);                                      \
                    y += 2;                                                                        \
                    waiting = 0;                                                                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        if (waiting != 0) {                                                                        \
            nb_one_result_##SUFFIX(out, columns, y);                                               \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void nb_conv_codes_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,         \
                                const X *x_zero, const int32_t *bias, const GIVEN *factor,         \
                                const END *y_zero, X *y, void *columns)                            \
    {                                                                                              \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                      \
        const int32_t taps = config->in_channels * steps.taps;                                     \
        const int32_t depth = (taps + 3) / 4 * 4;                                                  \
        const int32_t pairs = (config->out_channels + 1) / 2;                                      \
        nb_repeat((int16_t *)columns, 2 * depth, 0);                                               \
        for (int32_t sample = 0; sample < config->batch; ++sample) {                               \
            for (int32_t group = 0; group < config->groups; ++group) {                             \
                const int32_t first = group * config->out_channels;                                \
                const OUT out = {config->out_channels, depth, steps.out_channel,                   \
                                 w + (ptrdiff_t)group * pairs * 2 * depth,                         \
                                 bias + first,                                                     \
                                          PAIRS(factor) + first, ALL(y_zero)};                     \
                nb_group_##SUFFIX(config, &steps, &out, x, x_zero == NULL ? 0 : *x_zero, y,        \
                                  (int16_t *)columns);                                             \
                x += config->in_channels * steps.channel;                                          \
                y += config->out_channels * steps.out_channel;                                     \
            }                                                                                      \
        }                                                                                          \
    }

NB_DENSE(u8, uint8_t, nb_codes_out, float, int32_t, NB_CODE,
         float, NB_AS_IT_IS, uint8_t, NB_ONE)
NB_DENSE(i8, int8_t, nb_codes_out, float, int32_t, NB_CODE,
         float, NB_AS_IT_IS, int8_t, NB_ONE)
NB_DENSE(fixed, int8_t, nb_fixed_out, nb_pair, nb_ends, NB_FIXED_CODE,
         int32_t, NB_PAIRS, int32_t, NB_ENDS)
