/* SPDX-License-Identifier: MIT-0 */
#include "nb_depthwise_codes.h"

#include "nb_add_pair.h"
#include "nb_codes_out.h"
#include "nb_conv_taps.h"

/* The rows of an input channel that a row of results needs, one behind the other in a ring. */
typedef struct nb_ring {
    int32_t span;   /* rows */
    int32_t length; /* numbers of a row */
    int32_t width;  /* columns of the taps, filled up */
    int32_t left;   /* numbers before the first column; what lies outside stays as it is */
    int32_t count;  /* columns */
    int16_t *taps;
    int16_t *rows;
} nb_ring;

static nb_ring nb_ring_of(const nb_conv_config *c, int16_t *lines, int16_t outside)
{
    nb_ring ring;
    ring.span = (c->kernel[1] - 1) * c->dilations[1] + 1;
    ring.width = ((c->kernel[2] - 1) * c->dilations[2] + 2) / 2 * 2;
    ring.length = (c->out_dims[2] + 2) * c->strides[2] + ring.width;
    ring.taps = lines;
    ring.rows = lines + (ptrdiff_t)c->kernel[1] * ring.width;
    ring.left = c->pads[2] < ring.length ? c->pads[2] : ring.length;
    ring.count = ring.length - ring.left;
    ring.count = c->in_dims[2] < ring.count ? c->in_dims[2] : ring.count;
    nb_repeat(ring.rows, ring.span * ring.length, outside);
    return ring;
}

/* Spreads the weights of a channel, with zeros between them where taps are apart. */
static void nb_spread_taps(const nb_conv_config *c, const nb_ring *ring, const int8_t *w)
{
    nb_repeat(ring->taps, c->kernel[1] * ring->width, 0);
    for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {
        for (int32_t kw = 0; kw < c->kernel[2]; ++kw) {
            ring->taps[kh * ring->width + kw * c->dilations[2]] = *w++;
        }
    }
}

/* The row of the ring that lies a dilation behind another one. */
static inline const int16_t *nb_next_line(const nb_conv_config *c, const nb_ring *ring,
                                          const int16_t *x)
{
    const ptrdiff_t round = ring->span * (ptrdiff_t)ring->length;
    const int16_t *next = x + c->dilations[1] * (ptrdiff_t)ring->length;
    return next - (next >= ring->rows + round ? round : 0);
}

/* Adds the products of a row of the taps to four sums that are `step` apart. */
static inline void nb_add_line(const int16_t *x, const int16_t *w, int32_t width, ptrdiff_t step,
                               uint32_t *sums)
{
    for (int32_t kw = 0; kw < width; kw += 2) {
        sums[0] = nb_add_pair(sums[0], x + kw, w + kw);
        sums[1] = nb_add_pair(sums[1], x + (kw + step), w + kw);
        sums[2] = nb_add_pair(sums[2], x + (kw + 2 * step), w + kw);
        sums[3] = nb_add_pair(sums[3], x + (kw + 3 * step), w + kw);
    }
}

/* Four sums along a row of results; `x` is the first number under the first tap. */
static inline void nb_four_sums(const nb_conv_config *c, const nb_ring *ring, const int16_t *x,
                                uint32_t *sums)
{
    const int16_t *w = ring->taps;
    uint32_t four[4] = {0u, 0u, 0u, 0u};
    for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {
        nb_add_line(x, w, ring->width, c->strides[2], four);
        w += ring->width;
        x = nb_next_line(c, ring, x);
    }
    for (int32_t i = 0; i < 4; ++i) {
        sums[i] = four[i];
    }
}

/* Defines a row of results of three rows of up to four taps each, STEP apart. */
#define NB_LINE_3(NAME, X, STEP, OUT, KIND, ENDS, CODE)                                            \
    static void NAME(const nb_conv_config *c, const nb_ring *ring, const OUT *out,                 \
                     const int16_t *top, X *y)                                                     \
    {                                                                                              \
        const int16_t *middle = nb_next_line(c, ring, top);                                        \
        const int16_t *bottom = nb_next_line(c, ring, middle);                                     \
        const int16_t *w = ring->taps;                                                             \
        const uint32_t bias = (uint32_t)out->bias[0];                                              \
        const KIND factor = out->factor[0];                                                        \
        const ENDS zero = out->zero;                                                               \
        int32_t left = c->out_dims[2];                                                             \
        while (left > 0) {                                                                         \
            uint32_t sums[4] = {bias, bias, bias, bias};                                           \
            nb_add_line(top, w, 4, STEP, sums);                                                    \
            nb_add_line(middle, w + 4, 4, STEP, sums);                                             \
            nb_add_line(bottom, w + 8, 4, STEP, sums);                                             \
            if (left < 4) {                                                                        \
                for (int32_t i = 0; i < left; ++i) {                                               \
                    y[i] = CODE(X, sums[i], 0, factor, zero);                                      \
                }                                                                                  \
                return;                                                                            \
            }                                                                                      \
            y[0] = CODE(X, sums[0], 0, factor, zero);                                              \
            y[1] = CODE(X, sums[1], 0, factor, zero);                                              \
            y[2] = CODE(X, sums[2], 0, factor, zero);                                              \
            y[3] = CODE(X, sums[3], 0, factor, zero);                                              \
            top += 4 * (STEP);                                                                     \
            middle += 4 * (STEP);                                                                  \
            bottom += 4 * (STEP);                                                                  \
            y += 4;                                                                                \
            left -= 4;                                                                             \
        }                                                                                          \
    }

#define NB_DEPTHWISE(SUFFIX, X, OUT, KIND, ENDS, CODE, GIVEN, PAIRS, END, ALL)                     \
    static void nb_fill_row_##SUFFIX(const nb_conv_config *c, const nb_ring *ring, const X *x,     \
                                     int32_t row, int16_t zero)                                    \
    {                                                                                              \
        const int32_t at = ((row + c->pads[1]) % ring->span) * ring->length;                       \
        int16_t *to = ring->rows + (at + ring->left);                                              \
        const int32_t count = ring->count;                                                         \
        const X *from = x + (ptrdiff_t)row * c->x_line;                                            \
        if (row < 0 || row >= c->in_dims[1]) {                                                     \
            nb_repeat(to, count, zero);                                                            \
            return;                                                                                \
        }                                                                                          \
        NB_FOUR_A_TURN                                                                             \
        for (int32_t i = 0; i < count; ++i) {                                                      \
            to[i] = from[i];                                                                       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* A row of results; `first` is the row of the ring under the first taps. */                   \
    static void nb_line_##SUFFIX(const nb_conv_config *c, const nb_ring *ring,                     \
                                 const OUT *out, const int16_t *first, X *y)                       \
    {                                                                                              \
        for (int32_t column = 0; column < c->out_dims[2]; column += 4) {                           \
            const int32_t left = c->out_dims[2] - column;                                          \
            uint32_t sums[4];                                                                      \
            nb_four_sums(c, ring, first, sums);                                                    \
            for (int32_t i = 0; i < 4 && i < left; ++i) {                                          \
                y[i] = CODE(X, sums[i], out->bias[0], out->factor[0], out->zero);                  \
            }                                                                                      \
            first += 4 * (ptrdiff_t)c->strides[2];                                                 \
            y += 4;                                                                                \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    NB_LINE_3(nb_line_3_##SUFFIX, X, 1, OUT, KIND, ENDS, CODE)                                     \
    NB_LINE_3(nb_line_3_by_2_##SUFFIX, X, 2, OUT, KIND, ENDS, CODE)                                \
                                                                                                   \
    static void nb_plane_##SUFFIX(const nb_conv_config *c, const nb_ring *ring,                    \
                                  const OUT *out, const X *x, int16_t outside, X *y)               \
    {                                                                                              \
        const int is_3 = c->kernel[1] == 3 && ring->width == 4;                                    \
        int32_t next = -c->pads[1];                                                                \
        for (int32_t line = 0; line < c->out_dims[1]; ++line) {                                    \
            const int32_t top = line * c->strides[1] - c->pads[1];                                 \
            const int16_t *first =                                                                 \
                ring->rows + (ptrdiff_t)((top + c->pads[1]) % ring->span) * ring->length;          \
            for (next = next < top ? top : next; next < top + ring->span; ++next) {                \
                nb_fill_row_##SUFFIX(c, ring, x, next, outside);                                   \
            }                                                                                      \
            if (is_3 && c->strides[2] == 1) {                                                      \
                nb_line_3_##SUFFIX(c, ring, out, first, y);                                        \
            } else if (is_3 && c->strides[2] == 2) {                                               \
                nb_line_3_by_2_##SUFFIX(c, ring, out, first, y);                                   \
            } else {                                                                               \
                nb_line_##SUFFIX(c, ring, out, first, y);                                          \
            }                                                                                      \
            y += c->out_dims[2];                                                                   \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void nb_depthwise_codes_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,    \
                                     const X *x_zero, const int32_t *bias, const GIVEN *factor,    \
                                     const END *y_zero, X *y, void *lines)                         \
    {                                                                                              \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                      \
        const int16_t outside = x_zero == NULL ? 0 : *x_zero;                                      \
        const nb_ring ring = nb_ring_of(config, (int16_t *)lines, outside);                        \
        const int32_t channels = config->groups * config->out_channels;                            \
        for (int32_t i = 0; i < config->batch * channels; ++i) {                                   \
            const int32_t channel = i % channels;                                                  \
            const OUT out = {1,    0, 0, NULL, bias + channel, PAIRS(factor) + channel,            \
                             ALL(y_zero)};                                                         \
            nb_spread_taps(config, &ring, w + (ptrdiff_t)channel * steps.taps);                    \
            nb_plane_##SUFFIX(config, &ring, &out,                                                 \
                              x + i / config->out_channels * steps.channel,                        \
                              outside, y);                                                         \
            y += steps.out_channel;                                                                \
        }                                                                                          \
    }

NB_DEPTHWISE(u8, uint8_t, nb_codes_out, float, int32_t, NB_CODE,
             float, NB_AS_IT_IS, uint8_t, NB_ONE)
NB_DEPTHWISE(i8, int8_t, nb_codes_out, float, int32_t, NB_CODE,
             float, NB_AS_IT_IS, int8_t, NB_ONE)
NB_DEPTHWISE(fixed, int8_t, nb_fixed_out, nb_pair, nb_ends, NB_FIXED_CODE,
             int32_t, NB_PAIRS, int32_t, NB_ENDS)
