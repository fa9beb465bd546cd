/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_sixteen.h"

#include "nb_conv_taps.h"
#include "nb_lanes.h"

#define NB_PLACES 8 /* results along a row that are computed together */

#if defined(__GNUC__)
#define NB_APART __attribute__((noinline))
#else
#define NB_APART
#endif

/* What makes codes of the sums of a group, and where they go. */
typedef struct nb_sixteen {
    int32_t channels;
    int32_t depth;      /* taps, up to a multiple of sixteen: from one column to the next */
    ptrdiff_t out_size; /* from one channel to the next */
    const int8_t *w;
    const int32_t *bias;
    const float *factor; /* or NULL, and pairs */
    const nb_pair *by;
    nb_ends ends;
} nb_sixteen;

/* Some of the places, those from `first` on, have a tap inside. */
typedef struct nb_some {
    int32_t first;
    int32_t end;
} nb_some;

/* The places, `step` apart in a row of `size` numbers, that are inside; the first is at `at`. */
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

/* The results of up to four channels for some columns. */
static inline void nb_four_rows(const nb_sixteen *s, int32_t channel, const int8_t *column,
                                int32_t count, void *y, int is_fixed)
{
    const int32_t left = s->channels - channel;
    const mve_pred16_t some = vctp32q((uint32_t)left);
    const int32x4_t bias = vldrwq_z_s32(s->bias + channel, some);
    const uint32x4_t pair = vidupq_n_u32(0u, 8);
    const int32_t *by = is_fixed ? (const int32_t *)(s->by + channel) : NULL;
    const int32x4_t multiplier =
        is_fixed ? vldrwq_gather_offset_z_s32(by, pair, some) : vdupq_n_s32(0);
    const int32x4_t shift =
        is_fixed ? vldrwq_gather_offset_z_s32(by + 1, pair, some) : vdupq_n_s32(0);
    const float32x4_t factor =
        is_fixed ? vdupq_n_f32(0.0f) : vldrwq_z_f32(s->factor + channel, some);
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
        const int32x4_t four = {a, b, c, d};
        const int32x4_t sums = vaddq_s32(four, bias);
        const int32x4_t whole =
            is_fixed ? nb_rescaled_lanes(sums, multiplier, shift)
                     : vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(sums), factor));
        const int32x4_t codes = nb_codes_between(whole, s->ends);
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

static inline void nb_four_rows(const nb_sixteen *s, int32_t channel, const int8_t *column,
                                int32_t count, void *y, int is_fixed)
{
    const nb_ends ends = s->ends;
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
            uint8_t *to = (uint8_t *)y + row * s->out_size + i;
            if (is_fixed) {
                const nb_pair by = s->by[channel + row];
                const int32_t whole = nb_rescaled((int32_t)sum, by.multiplier, by.shift);
                *to = (uint8_t)nb_code(whole, ends.zero, ends.least, ends.most);
            } else {
                *to = (uint8_t)nb_requantized((int32_t)sum, s->factor[channel + row], ends.zero,
                                              (float)ends.least, (float)ends.most);
            }
        }
    }
}
#endif

/* Both ways, each a function of its own: its inner loop then keeps all in registers. */
static NB_APART void nb_four_by_factor(const nb_sixteen *s, int32_t channel,
                                       const int8_t *column, int32_t count, void *y)
{
    nb_four_rows(s, channel, column, count, y, 0);
}

static NB_APART void nb_four_by_pair(const nb_sixteen *s, int32_t channel, const int8_t *column,
                                     int32_t count, void *y)
{
    nb_four_rows(s, channel, column, count, y, 1);
}

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
            const ptrdiff_t row = ((ptrdiff_t)plane * c->in_dims[1] + line) * c->x_line;
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
    const int is_one = s->channel == 1 && s->out_channel == 1 && s->taps == 1;
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
                    uint8_t *to = y + channel * s->out_channel;
                    if (out->by != NULL) {
                        nb_four_by_pair(out, channel, (const int8_t *)columns, count, to);
                    } else {
                        nb_four_by_factor(out, channel, (const int8_t *)columns, count, to);
                    }
                }
                y += count;
            }
        }
    }
}

/* All groups of all samples; factors and pairs are of the first group. */
static void nb_all_groups(const nb_conv_config *c, const nb_sixteen *first, const uint8_t *x,
                          uint8_t outside, uint8_t flip, uint8_t *y, uint8_t *columns)
{
    const nb_conv_steps steps = nb_conv_steps_of(c);
    const ptrdiff_t rows = (c->out_channels + 3) / 4 * 4;
    nb_sixteen out = *first;
    out.channels = c->out_channels;
    out.depth = (c->in_channels * steps.taps + 15) / 16 * 16;
    out.out_size = steps.out_channel;
    for (int32_t sample = 0; sample < c->batch; ++sample) {
        for (int32_t group = 0; group < c->groups; ++group) {
            const int32_t channel = group * c->out_channels;
            out.w = first->w + group * rows * out.depth;
            out.bias = first->bias + channel;
            out.factor = first->factor == NULL ? NULL : first->factor + channel;
            out.by = first->by == NULL ? NULL : first->by + channel;
            nb_group(c, &steps, &out, x, outside, flip, y, columns);
            x += c->in_channels * steps.channel;
            y += c->out_channels * steps.out_channel;
        }
    }
}

#define NB_DENSE(SUFFIX, X, FLIP)                                                                 \
    void nb_conv_sixteen_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,      \
                                  const X *x_zero, const int32_t *bias, const float *factor,      \
                                  const X *y_zero, X *y, void *columns)                           \
    {                                                                                             \
        const int32_t least = (X)-1 < (X)0 ? -128 : 0;                                            \
        const nb_sixteen first = {0, 0, 0, w, bias, factor, NULL, {*y_zero, least, least + 255}}; \
        const uint8_t outside = (uint8_t)((x_zero == NULL ? 0 : *x_zero) ^ (FLIP));               \
        nb_all_groups(config, &first, (const uint8_t *)x, outside, FLIP, (uint8_t *)y,            \
                      (uint8_t *)columns);                                                        \
    }

NB_DENSE(u8, uint8_t, 128)
NB_DENSE(i8, int8_t, 0)

void nb_conv_sixteen_fixed(const nb_conv_config *config, const int8_t *x, const int8_t *w,
                           const int8_t *x_zero, const int32_t *bias, const int32_t *by,
                           const int32_t *ends, int8_t *y, void *columns)
{
    const nb_sixteen first = {0, 0, 0, w, bias, NULL, (const nb_pair *)(const void *)by,
                              *(const nb_ends *)(const void *)ends};
    const uint8_t outside = (uint8_t)(x_zero == NULL ? 0 : *x_zero);
    nb_all_groups(config, &first, (const uint8_t *)x, outside, 0, (uint8_t *)y,
                  (uint8_t *)columns);
}
