/* SPDX-License-Identifier: MIT-0 */
#include "nb_depthwise_sixteen.h"

#include "nb_conv_taps.h"
#include "nb_lanes.h"

#define NB_PLACES 8 /* results along a row that are computed together */

/* The rows of an input channel that a row of results needs, one behind the other in a ring. */
typedef struct nb_ring {
    int32_t span;   /* rows */
    int32_t length; /* numbers of a row */
    int32_t left;   /* of these before the first column; what lies outside stays as it is */
    int32_t count;  /* columns */
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

/* Puts a row into the ring, between what lies outside of it. */
static void nb_put_row(const nb_conv_config *c, const nb_ring *ring, const uint8_t *x, int32_t row,
                       uint8_t outside)
{
    uint8_t *to = nb_ring_row(c, ring, row) + ring->left;
    if (row < 0 || row >= c->in_dims[1]) {
        memset(to, outside, (size_t)ring->count);
    } else {
        nb_put_all(x + (ptrdiff_t)row * c->x_line, ring->count, 0, to);
    }
}

/* What a row of results is computed from: what lies under the first taps, and parameters. */
typedef struct nb_line {
    const uint8_t *top;
    const int8_t *w;
    int32_t bias;
    float factor; /* or a pair */
    const nb_pair *by;
    nb_ends ends;
} nb_line;

#if NB_HAS_LANES
/* The codes of four sums. */
static inline int32x4_t nb_four_codes(const nb_line *line, int32x4_t sums)
{
    const int32x4_t whole =
        line->by != NULL ? nb_rescaled_lanes(sums, vdupq_n_s32(line->by->multiplier),
                                             vdupq_n_s32(line->by->shift))
                         : vcvtnq_s32_f32(vmulq_n_f32(vcvtq_f32_s32(sums), line->factor));
    return nb_codes_between(whole, line->ends);
}

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
        const uint8_t *middle = nb_next_row(c, ring, line->top);                                  \
        const X *rows[3] = {(const X *)line->top, (const X *)middle,                              \
                            (const X *)nb_next_row(c, ring, middle)};                             \
        (void)apart;                                                                              \
        for (int32_t left = c->out_dims[2]; left > 0; left -= NB_PLACES) {                        \
            const int8_t *w = line->w;                                                            \
            int32x4_t first = vdupq_n_s32(line->bias);                                            \
            int32x4_t second = first;                                                             \
            TAPS                                                                                  \
            const int32x4_t low = nb_four_codes(line, first);                                     \
            const int32x4_t high = nb_four_codes(line, second);                                   \
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

#define NB_TAP(LANES, FROM)                                          \
    {                                                                \
        const int32_t tap = *w++;                                    \
        first = vmlaq_n_s32(first, LANES(FROM), tap);                \
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

#define NB_RESULTS(SUFFIX, X)                                                            \
    NB_ROW_OF_RESULTS(nb_row_3_##SUFFIX, X, 1, NB_TAPS_3(NB_LOAD_##SUFFIX))           \
    NB_ROW_OF_RESULTS(nb_row_3_by_2_##SUFFIX, X, 2, NB_TAPS_3_APART(NB_APART_##SUFFIX))     \
    NB_ROW_OF_RESULTS(nb_row_##SUFFIX, X, c->strides[2], NB_TAPS_ANY(X, NB_APART_##SUFFIX))
#else
#define NB_CHOSEN_ROW(SUFFIX) nb_row_##SUFFIX

/* The code of a sum. */
static inline int32_t nb_one_code(const nb_line *line, int32_t sum)
{
    const nb_ends ends = line->ends;
    if (line->by != NULL) {
        const int32_t whole = nb_rescaled(sum, line->by->multiplier, line->by->shift);
        return nb_code(whole, ends.zero, ends.least, ends.most);
    }
    return nb_requantized(sum, line->factor, ends.zero, (float)ends.least, (float)ends.most);
}

#define NB_RESULTS(SUFFIX, X)                                                                      \
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
            y[column] = (X)nb_one_code(line, (int32_t)sum);                                       \
        }                                                                                         \
    }
#endif

#define NB_DEPTHWISE(SUFFIX, X)                                                                    \
    NB_RESULTS(SUFFIX, X)                                                                          \
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
    static void nb_planes_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,      \
                                   X outside, const int32_t *bias, const float *factor,            \
                                   const nb_pair *by, nb_ends ends, X *y, void *lines)             \
    {                                                                                              \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                      \
        const int32_t channels = config->groups * config->out_channels;                            \
        nb_ring ring;                                                                              \
        ring.span = (config->kernel[1] - 1) * config->dilations[1] + 1;                            \
        ring.length = (config->out_dims[2] + NB_PLACES) * config->strides[2]                       \
            + config->kernel[2] * config->dilations[2];                                            \
        ring.left = config->pads[2] < ring.length ? config->pads[2] : ring.length;                 \
        ring.count = ring.length - ring.left;                                                      \
        ring.count = config->in_dims[2] < ring.count ? config->in_dims[2] : ring.count;            \
        ring.rows = (uint8_t *)lines;                                                              \
        memset(lines, (uint8_t)outside, (size_t)ring.span * (size_t)ring.length);                  \
        for (int32_t i = 0; i < config->batch * channels; ++i) {                                   \
            const int32_t channel = i % channels;                                                  \
            const nb_line line = {NULL,                                                            \
                                  w + (ptrdiff_t)channel * steps.taps,                             \
                                  bias[channel],                                                   \
                                  factor == NULL ? 0.0f : factor[channel],                         \
                                  by == NULL ? NULL : by + channel,                                \
                                  ends};                                                           \
            nb_plane_##SUFFIX(config, &ring, line, x + i / config->out_channels * steps.channel,   \
                              (uint8_t)outside, y);                                                \
            y += steps.out_channel;                                                                \
        }                                                                                          \
    }

#define NB_BY_FACTORS(SUFFIX, X)                                                                   \
    NB_DEPTHWISE(SUFFIX, X)                                                                        \
                                                                                                   \
    void nb_depthwise_sixteen_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,  \
                                       const X *x_zero, const int32_t *bias, const float *factor,  \
                                       const X *y_zero, X *y, void *lines)                         \
    {                                                                                              \
        const int32_t least = (X)-1 < (X)0 ? -128 : 0;                                             \
        const nb_ends ends = {*y_zero, least, least + 255};                                        \
        nb_planes_##SUFFIX(config, x, w, x_zero == NULL ? 0 : *x_zero, bias, factor, NULL, ends,   \
                           y, lines);                                                              \
    }

NB_BY_FACTORS(u8, uint8_t)
NB_BY_FACTORS(i8, int8_t)

void nb_depthwise_sixteen_fixed(const nb_conv_config *config, const int8_t *x, const int8_t *w,
                                const int8_t *x_zero, const int32_t *bias, const int32_t *by,
                                const int32_t *ends, int8_t *y, void *lines)
{
    nb_planes_i8(config, x, w, x_zero == NULL ? 0 : *x_zero, bias, NULL,
                 (const nb_pair *)(const void *)by, *(const nb_ends *)(const void *)ends, y, lines);
}
