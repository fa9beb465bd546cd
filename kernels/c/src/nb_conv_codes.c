/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_codes.h"

#include "nb_conv_taps.h"
#include "nb_dot.h"
#include "nb_quantize.h"

/* Where the results of a group go, and what makes codes of its sums; all by output channel. */
typedef struct nb_codes_out {
    int32_t channels;
    int32_t depth;       /* taps, filled up */
    ptrdiff_t out_size;  /* from one channel to the next */
    const int8_t *w;
    const int32_t *bias;
    const float *factor;
    int32_t zero;
} nb_codes_out;

/* Whether all taps of a place are inside. */
static inline int nb_is_full(const nb_conv_config *c, const nb_conv_place *place)
{
    return place->depth.end - place->depth.first == c->kernel[0]
        && place->height.end - place->height.first == c->kernel[1]
        && place->width.end - place->width.first == c->kernel[2];
}

static inline void nb_fill(int16_t *to, int32_t count, int16_t value)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = value;
    }
}

#define NB_CODE(X, OUT, CHANNEL, SUM)                                                             \
    ((X)nb_requantized((int32_t)((SUM) + (uint32_t)(OUT)->bias[CHANNEL]),                         \
                       (OUT)->factor[CHANNEL], (OUT)->zero, NB_LEAST(X), NB_LARGEST(X)))

#define NB_DENSE(SUFFIX, X)                                                                       \
    /* The data under the taps of a place. */                                                     \
    static void nb_column_##SUFFIX(const nb_conv_config *c, const nb_conv_steps *s,               \
                                   const nb_conv_place *place, const X *x, int16_t zero,          \
                                   int16_t *to)                                                   \
    {                                                                                             \
        if (!nb_is_full(c, place)) {                                                              \
            nb_fill(to, c->in_channels * s->taps, zero);                                          \
        }                                                                                         \
        NB_OVER_LINES(c, s, place, 1, {                                                           \
            for (int32_t kw = place->width.first; kw < place->width.end; ++kw) {                  \
                to[line_tap + kw] = x[line_data + kw * s->column];                                \
            }                                                                                     \
        })                                                                                        \
    }                                                                                             \
                                                                                                  \
    /* The same for two neighbours in a row whose taps are all inside. */                         \
    static void nb_columns_##SUFFIX(const nb_conv_config *c, const nb_conv_steps *s,              \
                                    const nb_conv_place *place, const X *x, int16_t *first,       \
                                    int16_t *second)                                              \
    {                                                                                             \
        const ptrdiff_t step = c->strides[2];                                                     \
        if (s->taps == 1) {                                                                       \
            const X *from = x + place->start;                                                     \
            for (int32_t channel = 0; channel < c->in_channels; ++channel) {                      \
                first[channel] = from[0];                                                         \
                second[channel] = from[step];                                                     \
                from += s->channel;                                                               \
            }                                                                                     \
            return;                                                                               \
        }                                                                                         \
        NB_OVER_LINES(c, s, place, 1, {                                                           \
            const X *from = x + line_data;                                                        \
            for (int32_t kw = 0; kw < c->kernel[2]; ++kw) {                                       \
                first[line_tap + kw] = from[0];                                                   \
                second[line_tap + kw] = from[step];                                               \
                from += s->column;                                                                \
            }                                                                                     \
        })                                                                                        \
    }                                                                                             \
                                                                                                  \
    static void nb_two_results_##SUFFIX(const nb_codes_out *out, const int16_t *columns, X *y)    \
    {                                                                                             \
        const int8_t *w = out->w;                                                                 \
        for (int32_t channel = 0; channel < out->channels; channel += 2) {                        \
            uint32_t sums[4];                                                                     \
            nb_dot_2_by_2(w, columns, out->depth, sums);                                          \
            y[0] = NB_CODE(X, out, channel, sums[0]);                                             \
            y[1] = NB_CODE(X, out, channel, sums[1]);                                             \
            if (channel + 1 < out->channels) {                                                    \
                y[out->out_size] = NB_CODE(X, out, channel + 1, sums[2]);                         \
                y[out->out_size + 1] = NB_CODE(X, out, channel + 1, sums[3]);                     \
            }                                                                                     \
            y += 2 * out->out_size;                                                               \
            w += 2 * (ptrdiff_t)out->depth;                                                       \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    static void nb_one_result_##SUFFIX(const nb_codes_out *out, const int16_t *column, X *y)      \
    {                                                                                             \
        const int8_t *w = out->w;                                                                 \
        for (int32_t channel = 0; channel < out->channels; channel += 4) {                        \
            const int32_t left = out->channels - channel < 4 ? out->channels - channel : 4;       \
            uint32_t sums[4];                                                                     \
            nb_dot_4_by_1(w, left > 2 ? w + 2 * (ptrdiff_t)out->depth : w, column, out->depth,    \
                          sums);                                                                  \
            for (int32_t i = 0; i < left; ++i) {                                                  \
                *y = NB_CODE(X, out, channel + i, sums[i]);                                       \
                y += out->out_size;                                                               \
            }                                                                                     \
            w += 4 * (ptrdiff_t)out->depth;                                                       \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    /* All results of a group, two at a time. */                                                  \
    static void nb_group_##SUFFIX(const nb_conv_config *c, const nb_conv_steps *s,                \
                                  const nb_codes_out *out, const X *x, int16_t zero, X *y,        \
                                  int16_t *columns)                                               \
    {                                                                                             \
        int32_t waiting = 0;                                                                      \
        for (int32_t place = 0; place < c->out_dims[0] * c->out_dims[1]; ++place) {               \
            const nb_conv_place row =                                                             \
                nb_conv_row(c, place / c->out_dims[1], place % c->out_dims[1]);                   \
            int32_t column = 0;                                                                   \
            while (column < c->out_dims[2]) {                                                     \
                const nb_conv_place at = nb_conv_at(c, &row, column);                             \
                if (waiting == 0 && column >= s->inner.first && column + 2 <= s->inner.end        \
                    && nb_is_full(c, &at)) {                                                      \
                    nb_columns_##SUFFIX(c, s, &at, x, columns, columns + out->depth);             \
                    waiting = 2;                                                                  \
                    column += 2;                                                                  \
                } else {                                                                          \
                    nb_column_##SUFFIX(c, s, &at, x, zero, columns + waiting * out->depth);       \
                    waiting += 1;                                                                 \
                    column += 1;                                                                  \
                }                                                                                 \
                if (waiting == 2) {                                                               \
                    nb_two_results_##SUFFIX(out, columns, y);                                     \
                    y += 2;                                                                       \
                    waiting = 0;                                                                  \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
        if (waiting != 0) {                                                                       \
            nb_one_result_##SUFFIX(out, columns, y);                                              \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    void nb_conv_codes_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,        \
                                const X *x_zero, const int32_t *bias, const float *factor,        \
                                const X *y_zero, X *y, void *columns)                             \
    {                                                                                             \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                     \
        const int32_t taps = config->in_channels * steps.taps;                                    \
        const int32_t depth = (taps + 3) / 4 * 4;                                                 \
        const int32_t pairs = (config->out_channels + 1) / 2;                                     \
        nb_fill((int16_t *)columns, 2 * depth, 0);                                                \
        for (int32_t sample = 0; sample < config->batch; ++sample) {                              \
            for (int32_t group = 0; group < config->groups; ++group) {                            \
                const int32_t first = group * config->out_channels;                               \
                const nb_codes_out out = {config->out_channels, depth, steps.out_size,            \
                                          w + (ptrdiff_t)group * pairs * 2 * depth, bias + first, \
                                          factor + first, *y_zero};                               \
                nb_group_##SUFFIX(config, &steps, &out, x, x_zero == NULL ? 0 : *x_zero, y,       \
                                  (int16_t *)columns);                                            \
                x += config->in_channels * steps.channel;                                         \
                y += config->out_channels * steps.out_size;                                       \
            }                                                                                     \
        }                                                                                         \
    }

NB_DENSE(u8, uint8_t)
NB_DENSE(i8, int8_t)

/* The rows of an input channel that a row of results needs, one behind the other in a ring. */
typedef struct nb_ring {
    int32_t span;   /* rows */
    int32_t length; /* numbers of a row */
    int32_t width;  /* columns of the taps, filled up */
    int16_t *taps;
    int16_t *rows;
} nb_ring;

static nb_ring nb_ring_of(const nb_conv_config *c, int16_t *lines)
{
    nb_ring ring;
    ring.span = (c->kernel[1] - 1) * c->dilations[1] + 1;
    ring.width = ((c->kernel[2] - 1) * c->dilations[2] + 2) / 2 * 2;
    ring.length = (c->out_dims[2] + 2) * c->strides[2] + ring.width;
    ring.taps = lines;
    ring.rows = lines + (ptrdiff_t)c->kernel[1] * ring.width;
    return ring;
}

/* Spreads the weights of a channel, with zeros between them where taps are apart. */
static void nb_spread_taps(const nb_conv_config *c, const nb_ring *ring, const int8_t *w)
{
    nb_fill(ring->taps, c->kernel[1] * ring->width, 0);
    for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {
        for (int32_t kw = 0; kw < c->kernel[2]; ++kw) {
            ring->taps[kh * ring->width + kw * c->dilations[2]] = *w++;
        }
    }
}

/* Four sums along a row of results, of which `from` is the first row of the ring. */
static inline void nb_four_sums(const nb_conv_config *c, const nb_ring *ring, int32_t from,
                                ptrdiff_t column, uint32_t *sums)
{
    const ptrdiff_t step = c->strides[2];
    const int16_t *w = ring->taps;
    uint32_t s0 = 0u;
    uint32_t s1 = 0u;
    uint32_t s2 = 0u;
    uint32_t s3 = 0u;
    for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {
        const int16_t *x = ring->rows + (ptrdiff_t)from * ring->length + column;
        for (int32_t kw = 0; kw < ring->width; kw += 2) {
            s0 = nb_add_pair(s0, x, w);
            s1 = nb_add_pair(s1, x + step, w);
            s2 = nb_add_pair(s2, x + 2 * step, w);
            s3 = nb_add_pair(s3, x + 3 * step, w);
            x += 2;
            w += 2;
        }
        from += c->dilations[1];
        from -= from >= ring->span ? ring->span : 0;
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
}

#define NB_DEPTHWISE(SUFFIX, X)                                                                   \
    static void nb_fill_row_##SUFFIX(const nb_conv_config *c, const nb_ring *ring, const X *x,    \
                                     int32_t row, int16_t zero)                                   \
    {                                                                                             \
        int16_t *to = ring->rows + (ptrdiff_t)((row + c->pads[1]) % ring->span) * ring->length;   \
        const int32_t left = c->pads[2] < ring->length ? c->pads[2] : ring->length;               \
        const int32_t room = ring->length - left;                                                 \
        const int32_t count = c->in_dims[2] < room ? c->in_dims[2] : room;                        \
        const X *from = x + (ptrdiff_t)row * c->in_dims[2];                                       \
        if (row < 0 || row >= c->in_dims[1]) {                                                    \
            nb_fill(to, ring->length, zero);                                                      \
            return;                                                                               \
        }                                                                                         \
        nb_fill(to, left, zero);                                                                  \
        for (int32_t i = 0; i < count; ++i) {                                                     \
            to[left + i] = from[i];                                                               \
        }                                                                                         \
        nb_fill(to + left + count, room - count, zero);                                           \
    }                                                                                             \
                                                                                                  \
    static void nb_plane_##SUFFIX(const nb_conv_config *c, const nb_ring *ring,                   \
                                  const nb_codes_out *out, const X *x, int16_t zero, X *y)        \
    {                                                                                             \
        int32_t next = -c->pads[1];                                                               \
        for (int32_t line = 0; line < c->out_dims[1]; ++line) {                                   \
            const int32_t top = line * c->strides[1] - c->pads[1];                                \
            const int32_t from = (top + c->pads[1]) % ring->span;                                 \
            for (next = next < top ? top : next; next < top + ring->span; ++next) {               \
                nb_fill_row_##SUFFIX(c, ring, x, next, zero);                                     \
            }                                                                                     \
            for (int32_t column = 0; column < c->out_dims[2]; column += 4) {                      \
                const int32_t left = c->out_dims[2] - column;                                     \
                uint32_t sums[4];                                                                 \
                nb_four_sums(c, ring, from, (ptrdiff_t)column * c->strides[2], sums);             \
                for (int32_t i = 0; i < (left < 4 ? left : 4); ++i) {                             \
                    *y++ = NB_CODE(X, out, 0, sums[i]);                                           \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    void nb_depthwise_codes_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,   \
                                     const X *x_zero, const int32_t *bias, const float *factor,   \
                                     const X *y_zero, X *y, void *lines)                          \
    {                                                                                             \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                     \
        const nb_ring ring = nb_ring_of(config, (int16_t *)lines);                                \
        const int32_t channels = config->groups * config->out_channels;                           \
        for (int32_t i = 0; i < config->batch * channels; ++i) {                                  \
            const int32_t channel = i % channels;                                                 \
            const nb_codes_out out = {1,    0, 0, NULL, bias + channel, factor + channel, *y_zero};\
            nb_spread_taps(config, &ring, w + (ptrdiff_t)channel * steps.taps);                   \
            nb_plane_##SUFFIX(config, &ring, &out,                                                \
                              x + i / config->out_channels * steps.channel,                       \
                              x_zero == NULL ? 0 : *x_zero, y);                                   \
            y += steps.out_size;                                                                  \
        }                                                                                         \
    }

NB_DEPTHWISE(u8, uint8_t)
NB_DEPTHWISE(i8, int8_t)
