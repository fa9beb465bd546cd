/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_sixteen.h"

#include "nb_conv_taps.h"
#include "nb_lanes.h"

#define NB_PLACES 8 /* results along a row that are computed together */

/* What makes codes of the sums of a group, and where they go. */
typedef struct nb_sixteen {
    int32_t channels;
    int32_t depth;      /* taps, up to a multiple of sixteen: from one column to the next */
    ptrdiff_t out_size; /* from one channel to the next */
    const int8_t *w;
    const int32_t *bias;
    const float *factor;
    int32_t zero;
    int32_t is_signed;
} nb_sixteen;

/* Some of the places, those from `first` on, have a tap inside. */
typedef struct nb_some {
    int32_t first;
    int32_t end;
} nb_some;

/* The places, `step` apart in a row of `size` numbers, that are inside; the first one is at `at`. */
static inline nb_some nb_places_inside(int32_t at, int32_t step, int32_t size)
{
    nb_some some = {0, NB_PLACES};
    if (at < 0 || at + (NB_PLACES - 1) * step >= size) {
        const nb_range range = nb_inside(at, step, NB_PLACES, 0, size);
        some.first = range.first;
        some.end = range.end;
    }
    return some;
}

#if NB_HAS_LANES
/* Writes the numbers under a tap of all channels into the columns, where they are a byte apart. */
static inline void nb_put_tap(const uint8_t *x, ptrdiff_t channel, int32_t channels, int32_t step,
                              nb_some some, uint8_t outside, uint8_t flip, uint8_t *to,
                              int32_t depth)
{
    const uint16x8_t lanes = vidupq_n_u16(0u, 1);
    const uint16x8_t from = vmulq_n_u16(lanes, (uint16_t)step);
    const uint16x8_t place = vmulq_n_u16(lanes, (uint16_t)depth);
    const uint16x8_t flips = vdupq_n_u16(flip);
    if (some.first == 0 && some.end == NB_PLACES) {
        for (int32_t c = 0; c < channels; ++c) {
            const uint16x8_t found =
                step == 1 ? vldrbq_u16(x) : vldrbq_gather_offset_u16(x, from);
            vstrbq_scatter_offset_u16(to, place, veorq_u16(found, flips));
            x += channel;
            ++to;
        }
        return;
    }
    const uint16x8_t edge = vdupq_n_u16(outside);
    const uint32_t below = (1u << (2 * some.end)) - (1u << (2 * some.first));
    const mve_pred16_t inside = (mve_pred16_t)below;
    for (int32_t c = 0; c < channels; ++c) {
        const uint16x8_t found = vldrbq_gather_offset_z_u16(x, from, inside);
        vstrbq_scatter_offset_u16(to, place, vpselq_u16(veorq_u16(found, flips), edge, inside));
        x += channel;
        ++to;
    }
}

/* Copies a column of numbers that lie side by side. */
static inline void nb_put_all(const uint8_t *x, int32_t count, uint8_t flip, uint8_t *to)
{
    const uint8x16_t flips = vdupq_n_u8(flip);
    while (count > 0) {
        const mve_pred16_t p = vctp8q((uint32_t)count);
        vstrbq_p_u8(to, veorq_u8(vldrbq_z_u8(x, p), flips), p);
        x += 16;
        to += 16;
        count -= 16;
    }
}

/* The results of up to four channels for some columns. */
static inline void nb_four_rows(const nb_sixteen *s, int32_t channel, const int8_t *column,
                                int32_t count, void *y)
{
    const int32_t left = s->channels - channel;
    const mve_pred16_t some = vctp32q((uint32_t)left);
    const int32x4_t bias = vldrwq_z_s32(s->bias + channel, some);
    const float32x4_t factor = vldrwq_z_f32(s->factor + channel, some);
    const uint32x4_t offset = vmulq_n_u32(vidupq_n_u32(0u, 1), (uint32_t)s->out_size);
    uint8_t *to = (uint8_t *)y;
    for (int32_t i = 0; i < count; ++i) {
        const int8_t *w = s->w + (ptrdiff_t)channel * s->depth;
        int32_t a = 0;
        int32_t b = 0;
        int32_t c = 0;
        int32_t d = 0;
        for (int32_t k = s->depth >> 4; k > 0; --k) {
            const int8x16_t x = vldrbq_s8(column);
            a = vmladavaq_s8(a, x, vldrbq_s8(w));
            b = vmladavaq_s8(b, x, vldrbq_s8(w + 16));
            c = vmladavaq_s8(c, x, vldrbq_s8(w + 32));
            d = vmladavaq_s8(d, x, vldrbq_s8(w + 48));
            column += 16;
            w += 64;
        }
        const int32x4_t sums = {a, b, c, d};
        const int32x4_t codes =
            nb_codes_of_sums(vaddq_s32(sums, bias), factor, s->zero, s->is_signed);
        vstrbq_scatter_offset_p_u32(to, offset, vreinterpretq_u32_s32(codes), some);
        ++to;
    }
}
#else
static inline void nb_put_tap(const uint8_t *x, ptrdiff_t channel, int32_t channels, int32_t step,
                              nb_some some, uint8_t outside, uint8_t flip, uint8_t *to,
                              int32_t depth)
{
    for (int32_t c = 0; c < channels; ++c) {
        for (int32_t i = 0; i < NB_PLACES; ++i) {
            const int is_inside = i >= some.first && i < some.end;
            to[c + (ptrdiff_t)i * depth] =
                is_inside ? (uint8_t)(x[c * channel + (ptrdiff_t)i * step] ^ flip) : outside;
        }
    }
}

static inline void nb_put_all(const uint8_t *x, int32_t count, uint8_t flip, uint8_t *to)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = x[i] ^ flip;
    }
}

static inline void nb_four_rows(const nb_sixteen *s, int32_t channel, const int8_t *column,
                                int32_t count, void *y)
{
    const int32_t left = s->channels - channel < 4 ? s->channels - channel : 4;
    for (int32_t row = 0; row < left; ++row) {
        for (int32_t i = 0; i < count; ++i) {
            const int8_t *x = column + (ptrdiff_t)i * s->depth;
            const int8_t *w = s->w + (ptrdiff_t)channel * s->depth + 16 * row;
            uint32_t sum = (uint32_t)s->bias[channel + row];
            for (int32_t k = 0; k < s->depth; k += 16) {
                int32_t part = 0;
                for (int32_t j = 0; j < 16; ++j) {
                    part += w[j] * x[j];
                }
                sum += (uint32_t)part;
                w += 64;
                x += 16;
            }
            const float least = s->is_signed ? -128.0f : 0.0f;
            ((uint8_t *)y)[row * s->out_size + i] = (uint8_t)nb_requantized(
                (int32_t)sum, s->factor[channel + row], s->zero, least, least + 255.0f);
        }
    }
}
#endif

/* The columns of places side by side; the first one is at `column` of a row of results. */
static void nb_put_places(const nb_conv_config *c, const nb_conv_steps *s, const uint8_t *x,
                          const int32_t *place, uint8_t outside, uint8_t flip, uint8_t *to,
                          int32_t depth)
{
    int32_t start[3];
    for (int32_t axis = 0; axis < 3; ++axis) {
        start[axis] = place[axis] * c->strides[axis] - c->pads[axis];
    }
    for (int32_t kd = 0; kd < c->kernel[0]; ++kd) {
        const int32_t plane = start[0] + kd * c->dilations[0];
        for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {
            const int32_t line = start[1] + kh * c->dilations[1];
            const int is_inside =
                plane >= 0 && plane < c->in_dims[0] && line >= 0 && line < c->in_dims[1];
            const ptrdiff_t row = ((ptrdiff_t)plane * c->in_dims[1] + line) * c->in_dims[2];
            for (int32_t kw = 0; kw < c->kernel[2]; ++kw) {
                const int32_t at = start[2] + kw * c->dilations[2];
                const nb_some none = {0, 0};
                const nb_some some =
                    is_inside ? nb_places_inside(at, c->strides[2], c->in_dims[2]) : none;
                const uint8_t *from = some.end > some.first ? x + (row + at) : x;
                nb_put_tap(from, s->channel, c->in_channels, c->strides[2], some, outside, flip,
                           to, depth);
                to += c->in_channels;
            }
        }
    }
}

/* All results of a group. */
static void nb_group(const nb_conv_config *c, const nb_conv_steps *s, const nb_sixteen *out,
                     const uint8_t *x, uint8_t outside, uint8_t flip, uint8_t *y, uint8_t *columns)
{
    const int is_one = s->channel == 1 && s->out_size == 1 && s->taps == 1;
    int32_t place[3];
    for (place[0] = 0; place[0] < c->out_dims[0]; ++place[0]) {
        for (place[1] = 0; place[1] < c->out_dims[1]; ++place[1]) {
            for (place[2] = 0; place[2] < c->out_dims[2]; place[2] += NB_PLACES) {
                const int32_t left = c->out_dims[2] - place[2];
                const int32_t count = left < NB_PLACES ? left : NB_PLACES;
                if (is_one && c->pads[0] == 0 && c->pads[1] == 0 && c->pads[2] == 0) {
                    nb_put_all(x, c->in_channels, flip, columns);
                } else {
                    nb_put_places(c, s, x, place, outside, flip, columns, out->depth);
                }
                for (int32_t channel = 0; channel < out->channels; channel += 4) {
                    nb_four_rows(out, channel, (const int8_t *)columns, count,
                                 y + channel * s->out_size);
                }
                y += count;
            }
        }
    }
}

#define NB_DENSE(SUFFIX, X, FLIP)                                                             \
    void nb_conv_sixteen_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,  \
                                  const X *x_zero, const int32_t *bias, const float *factor,  \
                                  const X *y_zero, X *y, void *columns)                       \
    {                                                                                         \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                 \
        const int32_t depth = (config->in_channels * steps.taps + 15) / 16 * 16;              \
        const ptrdiff_t rows = (config->out_channels + 3) / 4 * 4;                            \
        const uint8_t outside = (uint8_t)((x_zero == NULL ? 0 : *x_zero) ^ (FLIP));           \
        for (int32_t sample = 0; sample < config->batch; ++sample) {                          \
            for (int32_t group = 0; group < config->groups; ++group) {                        \
                const int32_t first = group * config->out_channels;                           \
                const nb_sixteen out = {config->out_channels,                                 \
                                        depth,                                                \
                                        steps.out_size,                                       \
                                        w + group * rows * depth,                             \
                                        bias + first,                                         \
                                        factor + first,                                       \
                                        *y_zero,                                              \
                                        (X)-1 < (X)0};                                        \
                nb_group(config, &steps, &out, (const uint8_t *)x, outside, FLIP,             \
                         (uint8_t *)y, (uint8_t *)columns);                                   \
                x += config->in_channels * steps.channel;                                     \
                y += config->out_channels * steps.out_size;                                   \
            }                                                                                 \
        }                                                                                     \
    }

NB_DENSE(u8, uint8_t, 128)
NB_DENSE(i8, int8_t, 0)

/* The rows of an input channel that a row of results needs, one behind the other in a ring. */
typedef struct nb_ring {
    int32_t span;   /* rows */
    int32_t length; /* numbers of a row */
    uint8_t *rows;
} nb_ring;

static inline uint8_t *nb_ring_row(const nb_conv_config *c, const nb_ring *ring, int32_t row)
{
    return ring->rows + (ptrdiff_t)((row + c->pads[1]) % ring->span) * ring->length;
}

/* The row of the ring that lies a dilation behind another one. */
static inline const uint8_t *nb_next_row(const nb_conv_config *c, const nb_ring *ring,
                                         const uint8_t *row)
{
    const ptrdiff_t round = ring->span * (ptrdiff_t)ring->length;
    const uint8_t *next = row + c->dilations[1] * (ptrdiff_t)ring->length;
    return next - (next >= ring->rows + round ? round : 0);
}

/* Puts a row into the ring, with what lies outside of it. */
static void nb_put_row(const nb_conv_config *c, const nb_ring *ring, const uint8_t *x, int32_t row,
                       uint8_t outside)
{
    uint8_t *to = nb_ring_row(c, ring, row);
    const int32_t left = c->pads[2] < ring->length ? c->pads[2] : ring->length;
    const int32_t room = ring->length - left;
    const int32_t count = c->in_dims[2] < room ? c->in_dims[2] : room;
    if (row < 0 || row >= c->in_dims[1]) {
        memset(to, outside, (size_t)ring->length);
        return;
    }
    for (int32_t i = 0; i < left; ++i) {
        to[i] = outside;
    }
    nb_put_all(x + (ptrdiff_t)row * c->in_dims[2], count, 0, to + left);
    for (int32_t i = left + count; i < ring->length; ++i) {
        to[i] = outside;
    }
}

/* What a row of results is computed from: what lies under the first taps, and parameters. */
typedef struct nb_line {
    const uint8_t *top;
    const int8_t *w;
    int32_t bias;
    float factor;
    int32_t zero;
} nb_line;

#if NB_HAS_LANES
#define NB_LOAD_u8 "vldrb.u32"
#define NB_LOAD_i8 "vldrb.s32"
#define NB_APART_u8(FROM) vreinterpretq_s32_u32(vldrbq_gather_offset_u32(FROM, apart))
#define NB_APART_i8(FROM) vldrbq_gather_offset_s32(FROM, apart)

static inline int nb_is_3_by_3(const nb_conv_config *c)
{
    return c->kernel[1] == 3 && c->kernel[2] == 3 && c->dilations[2] == 1;
}

/* Defines a row of results, eight at a time; TAPS adds the products of all taps to their sums. */
#define NB_ROW_OF_RESULTS(NAME, X, STEP, TAPS)                                                    \
    static void NAME(const nb_conv_config *c, const nb_ring *ring, const nb_line *line, X *y)     \
    {                                                                                             \
        const ptrdiff_t step = (STEP);                                                            \
        const uint32x4_t apart = vmulq_n_u32(vidupq_n_u32(0u, 1), (uint32_t)step);                \
        const float32x4_t factor = vdupq_n_f32(line->factor);                                     \
        const uint8_t *middle = nb_next_row(c, ring, line->top);                                  \
        const X *rows[3] = {(const X *)line->top, (const X *)middle,                              \
                            (const X *)nb_next_row(c, ring, middle)};                             \
        (void)apart;                                                                              \
        for (int32_t left = c->out_dims[2]; left > 0; left -= NB_PLACES) {                        \
            const int8_t *w = line->w;                                                            \
            int32x4_t first = vdupq_n_s32(line->bias);                                            \
            int32x4_t second = first;                                                             \
            TAPS                                                                                  \
            const int is_signed = (X)-1 < (X)0;                                                   \
            const int32x4_t low = nb_codes_of_sums(first, factor, line->zero, is_signed);         \
            const int32x4_t high = nb_codes_of_sums(second, factor, line->zero, is_signed);       \
            if (left >= NB_PLACES) {                                                              \
                vstrbq_s32((int8_t *)y, low);                                                     \
                vstrbq_s32((int8_t *)y + 4, high);                                                \
            } else {                                                                              \
                vstrbq_p_s32((int8_t *)y, low, vctp32q((uint32_t)left));                          \
                if (left > 4) {                                                                   \
                    vstrbq_p_s32((int8_t *)y + 4, high, vctp32q((uint32_t)(left - 4)));           \
                }                                                                                 \
            }                                                                                     \
            rows[0] += NB_PLACES * step;                                                          \
            rows[1] += NB_PLACES * step;                                                          \
            rows[2] += NB_PLACES * step;                                                          \
            y += NB_PLACES;                                                                       \
        }                                                                                         \
    }

#define NB_TAP(LANES, FROM)                                       \
    {                                                             \
        const int32_t tap = *w++;                                 \
        first = vmlaq_n_s32(first, LANES(FROM), tap);             \
        second = vmlaq_n_s32(second, LANES((FROM) + 4 * step), tap); \
    }

/* Three taps side by side; written out, for compilers load all data first, and spill them. */
#define NB_THREE(LOAD, FROM)                                                                     \
    __asm__("ldrsb %[t], [%[w]], #1\n\t" LOAD " %q[u], [%[x]]\n\t" LOAD " %q[v], [%[x], #4]\n\t"  \
            "vmla.s32 %q[a], %q[u], %[t]\n\t"                                                   \
            "vmla.s32 %q[b], %q[v], %[t]\n\t"                                                   \
            "ldrsb %[t], [%[w]], #1\n\t" LOAD " %q[u], [%[x], #1]\n\t" LOAD                     \
            " %q[v], [%[x], #5]\n\t"                                                            \
            "vmla.s32 %q[a], %q[u], %[t]\n\t"                                                   \
            "vmla.s32 %q[b], %q[v], %[t]\n\t"                                                   \
            "ldrsb %[t], [%[w]], #1\n\t" LOAD " %q[u], [%[x], #2]\n\t" LOAD                     \
            " %q[v], [%[x], #6]\n\t"                                                            \
            "vmla.s32 %q[a], %q[u], %[t]\n\t"                                                   \
            "vmla.s32 %q[b], %q[v], %[t]"                                                        \
            : [a] "+w"(first), [b] "+w"(second), [w] "+r"(w), [t] "=&r"(scalar),                 \
              [u] "=&w"(one), [v] "=&w"(two)                                                     \
            : [x] "l"(FROM)                                                                      \
            : "memory");

/* Three rows of them; then three rows of three taps with numbers that are apart. */
#define NB_TAPS_3(LOAD)             \
    {                               \
        int32x4_t one;              \
        int32x4_t two;              \
        int32_t scalar;             \
        NB_THREE(LOAD, rows[0])     \
        NB_THREE(LOAD, rows[1])     \
        NB_THREE(LOAD, rows[2])     \
    }

#define NB_TAPS_3_APART(LANES) \
    NB_TAP(LANES, rows[0])     \
    NB_TAP(LANES, rows[0] + 1) \
    NB_TAP(LANES, rows[0] + 2) \
    NB_TAP(LANES, rows[1])     \
    NB_TAP(LANES, rows[1] + 1) \
    NB_TAP(LANES, rows[1] + 2) \
    NB_TAP(LANES, rows[2])     \
    NB_TAP(LANES, rows[2] + 1) \
    NB_TAP(LANES, rows[2] + 2)

#define NB_TAPS_ANY(X, LANES)                                                              \
    {                                                                                      \
        const ptrdiff_t column = rows[0] - (const X *)line->top;                           \
        const uint8_t *row = line->top;                                                    \
        for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {                                    \
            const X *x = (const X *)row + column;                                          \
            for (int32_t kw = 0; kw < c->kernel[2]; ++kw) {                                \
                NB_TAP(LANES, x)                                                           \
                x += c->dilations[2];                                                      \
            }                                                                              \
            row = nb_next_row(c, ring, row);                                               \
        }                                                                                  \
    }

#define NB_CHOSEN_ROW(SUFFIX)                                                       \
    (!nb_is_3_by_3(c)         ? nb_row_##SUFFIX                                     \
         : c->strides[2] == 1 ? nb_row_3_##SUFFIX                                   \
         : c->strides[2] == 2 ? nb_row_3_by_2_##SUFFIX                              \
                              : nb_row_##SUFFIX)

#define NB_ROWS(SUFFIX, X)                                                            \
    NB_ROW_OF_RESULTS(nb_row_3_##SUFFIX, X, 1, NB_TAPS_3(NB_LOAD_##SUFFIX))           \
    NB_ROW_OF_RESULTS(nb_row_3_by_2_##SUFFIX, X, 2, NB_TAPS_3_APART(NB_APART_##SUFFIX))     \
    NB_ROW_OF_RESULTS(nb_row_##SUFFIX, X, c->strides[2], NB_TAPS_ANY(X, NB_APART_##SUFFIX))
#else
#define NB_CHOSEN_ROW(SUFFIX) nb_row_##SUFFIX

#define NB_ROWS(SUFFIX, X)                                                                        \
    static void nb_row_##SUFFIX(const nb_conv_config *c, const nb_ring *ring,                     \
                                const nb_line *line, X *y)                                        \
    {                                                                                             \
        for (int32_t column = 0; column < c->out_dims[2]; ++column) {                             \
            const int8_t *w = line->w;                                                            \
            const uint8_t *row = line->top;                                                       \
            uint32_t sum = (uint32_t)line->bias;                                                  \
            for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {                                       \
                const X *x = (const X *)row + (ptrdiff_t)column * c->strides[2];                  \
                for (int32_t kw = 0; kw < c->kernel[2]; ++kw) {                                   \
                    sum += (uint32_t)(*w++ * x[kw * c->dilations[2]]);                            \
                }                                                                                 \
                row = nb_next_row(c, ring, row);                                                  \
            }                                                                                     \
            y[column] = (X)nb_requantized((int32_t)sum, line->factor, line->zero, NB_LEAST(X),    \
                                          NB_LARGEST(X));                                         \
        }                                                                                         \
    }
#endif

#define NB_DEPTHWISE(SUFFIX, X)                                                                    \
    NB_ROWS(SUFFIX, X)                                                                             \
                                                                                                   \
    static void nb_plane_##SUFFIX(const nb_conv_config *c, const nb_ring *ring, nb_line line,      \
                                  const X *x, uint8_t outside, X *y)                               \
    {                                                                                              \
        int32_t next = -c->pads[1];                                                                \
        for (int32_t row = 0; row < c->out_dims[1]; ++row) {                                       \
            const int32_t top = row * c->strides[1] - c->pads[1];                                  \
            for (next = next < top ? top : next; next < top + ring->span; ++next) {                \
                nb_put_row(c, ring, (const uint8_t *)x, next, outside);                            \
            }                                                                                      \
            line.top = nb_ring_row(c, ring, top);                                                  \
            NB_CHOSEN_ROW(SUFFIX)(c, ring, &line, y);                                              \
            y += c->out_dims[2];                                                                   \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void nb_depthwise_sixteen_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,  \
                                       const X *x_zero, const int32_t *bias, const float *factor,  \
                                       const X *y_zero, X *y, void *lines)                         \
    {                                                                                              \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                      \
        const int32_t channels = config->groups * config->out_channels;                            \
        nb_ring ring;                                                                              \
        ring.span = (config->kernel[1] - 1) * config->dilations[1] + 1;                            \
        ring.length = (config->out_dims[2] + NB_PLACES) * config->strides[2]                       \
            + config->kernel[2] * config->dilations[2];                                            \
        ring.rows = (uint8_t *)lines;                                                              \
        for (int32_t i = 0; i < config->batch * channels; ++i) {                                   \
            const int32_t channel = i % channels;                                                  \
            const nb_line line = {0, w + (ptrdiff_t)channel * steps.taps, bias[channel],           \
                                  factor[channel], *y_zero};                                       \
            nb_plane_##SUFFIX(config, &ring, line, x + i / config->out_channels * steps.channel,   \
                              (uint8_t)(x_zero == NULL ? 0 : *x_zero), y);                         \
            y += steps.out_size;                                                                   \
        }                                                                                          \
    }

NB_DEPTHWISE(u8, uint8_t)
NB_DEPTHWISE(i8, int8_t)
