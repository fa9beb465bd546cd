/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_wide.h"

#include "nb_blocks.h"
#include "nb_conv_taps.h"
#include "nb_parallel.h"
#include "nb_wide.h"

#define NB_PLACES 48 /* results of a channel that are computed from the same columns, at most */
#define NB_ROWS_OF_WEIGHTS 8

/* Some results that follow each other: the first one, and how many. */
typedef struct nb_places {
    int32_t depth;
    int32_t row;
    int32_t column;
    int32_t count;
} nb_places;

/* A tap: what it adds to the place of the input, for each axis. */
typedef struct nb_tap {
    int32_t at[3];
} nb_tap;

#if NB_WIDE_LANES == 16
#define NB_PIECE 32 /* results along a row whose data are read at once */

/* Numbers along a row, `step` apart, of which those of a range are inside; writes 32 or more. */
static inline void nb_row_piece(const uint8_t *x, int32_t step, nb_range inside, int32_t count,
                                uint8_t outside, uint8_t *to)
{
    const __m512i edge = _mm512_set1_epi8((char)outside);
    if (step <= 2) {
        const int32_t last = inside.end > inside.first ? (inside.end - 1) * step + 1 : 0;
        const __m512i found =
            _mm512_mask_loadu_epi8(edge, nb_bytes(inside.first * step, last), x);
        const __m256i near = _mm512_castsi512_si256(found);
        const __m256i every_other = _mm512_cvtepi16_epi8(found);
        _mm256_storeu_si256((__m256i *)(void *)to, step == 1 ? near : every_other);
        return;
    }
    for (int32_t i = 0; i < count; ++i) {
        to[i] = i >= inside.first && i < inside.end ? x[(ptrdiff_t)i * step] : outside;
    }
}
#else
#define NB_PIECE NB_PLACES

static inline void nb_row_piece(const uint8_t *x, int32_t step, nb_range inside, int32_t count,
                                uint8_t outside, uint8_t *to)
{
    for (int32_t i = 0; i < inside.first; ++i) {
        to[i] = outside;
    }
    if (step == 1) {
        for (int32_t i = inside.first; i < inside.end; ++i) {
            to[i] = x[i];
        }
    } else {
        for (int32_t i = inside.first; i < inside.end; ++i) {
            to[i] = x[(ptrdiff_t)i * step];
        }
    }
    for (int32_t i = inside.end; i < count; ++i) {
        to[i] = outside;
    }
}
#endif

/* The numbers of a channel under a tap of some places; writes up to 32 behind the last one. */
static void nb_row_of_tap(const nb_conv_config *c, const uint8_t *x, const nb_tap *tap,
                          const nb_places *places, uint8_t outside, uint8_t *to)
{
    int32_t depth = places->depth;
    int32_t row = places->row;
    int32_t column = places->column;
    int32_t left = places->count;
    while (left > 0) {
        const int32_t rest = c->out_dims[2] - column;
        const int32_t wide = rest < NB_PIECE ? rest : NB_PIECE;
        const int32_t count = wide < left ? wide : left;
        const int32_t plane = depth * c->strides[0] + tap->at[0];
        const int32_t line = row * c->strides[1] + tap->at[1];
        const int32_t start = column * c->strides[2] + tap->at[2];
        nb_range inside = {0, 0};
        if (plane >= 0 && plane < c->in_dims[0] && line >= 0 && line < c->in_dims[1]) {
            const int32_t end = start + (count - 1) * c->strides[2];
            inside.end = count;
            if (start < 0 || end >= c->in_dims[2]) {
                inside = nb_inside(start, c->strides[2], count, 0, c->in_dims[2]);
            }
        }
        const ptrdiff_t from = ((ptrdiff_t)plane * c->in_dims[1] + line) * c->x_line + start;
        nb_row_piece(inside.end > inside.first ? x + from : x, c->strides[2], inside, count,
                     outside, to);
        to += count;
        left -= count;
        column += count;
        if (column == c->out_dims[2]) {
            column = 0;
            row += 1;
            if (row == c->out_dims[1]) {
                row = 0;
                depth += 1;
            }
        }
    }
}

#if NB_WIDE_LANES > 1
/* Puts four rows of sixteen numbers each side by side, four by four. */
static inline void nb_put_sixteen(const uint8_t *const *rows, ptrdiff_t at, uint8_t flip,
                                  uint8_t *to)
{
    const __m128i flips = _mm_set1_epi8((char)flip);
    const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(rows[0] + at));
    const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(rows[1] + at));
    const __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(rows[2] + at));
    const __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(rows[3] + at));
    const __m128i ab = _mm_xor_si128(_mm_unpacklo_epi8(a, b), flips);
    const __m128i cd = _mm_xor_si128(_mm_unpacklo_epi8(c, d), flips);
    const __m128i more_ab = _mm_xor_si128(_mm_unpackhi_epi8(a, b), flips);
    const __m128i more_cd = _mm_xor_si128(_mm_unpackhi_epi8(c, d), flips);
    _mm_storeu_si128((__m128i *)(void *)to, _mm_unpacklo_epi16(ab, cd));
    _mm_storeu_si128((__m128i *)(void *)(to + 16), _mm_unpackhi_epi16(ab, cd));
    _mm_storeu_si128((__m128i *)(void *)(to + 32), _mm_unpacklo_epi16(more_ab, more_cd));
    _mm_storeu_si128((__m128i *)(void *)(to + 48), _mm_unpackhi_epi16(more_ab, more_cd));
}
#endif

/*
 * The data of some places: [fours of taps][places, up to a multiple of 16][4]; where there are no
 * vectors of fours, [taps][places]. Writes the fours from `first` on, to those before `end`.
 */
static void nb_put_columns(const nb_conv_config *c, const nb_conv_steps *s, const uint8_t *x,
                           const nb_places *places, int32_t size, uint8_t outside, uint8_t flip,
                           int32_t first, int32_t end, uint8_t *columns)
{
    const int32_t depth = c->in_channels * s->taps;
    const int is_plain = s->taps == 1 && c->strides[2] == 1 && c->pads[2] == 0
        && c->in_dims[2] == c->out_dims[2] && c->in_dims[0] == 1 && c->in_dims[1] == 1
        && c->pads[0] == 0 && c->pads[1] == 0 && c->out_dims[0] == 1 && c->out_dims[1] == 1;
    const int32_t tap_of_all = 4 * first % (int32_t)s->taps;
    nb_tap tap = {{0, 0, 0}};
    int32_t at[3];
    uint8_t *to = columns + 4 * (ptrdiff_t)first * size;
#if NB_WIDE_LANES > 1
    const uint8_t *rows[4];
    uint8_t copies[4][NB_PLACES + 32];
#endif
    at[2] = tap_of_all % c->kernel[2];
    at[1] = tap_of_all / c->kernel[2] % c->kernel[1];
    at[0] = tap_of_all / c->kernel[2] / c->kernel[1];
    x += 4 * first / (int32_t)s->taps * s->channel;
    for (int32_t k = 4 * first; k < 4 * end; ++k) {
#if NB_WIDE_LANES > 1
        uint8_t *row = copies[k & 3];
#else
        uint8_t *row = to + (ptrdiff_t)(k - 4 * first) * size;
#endif
        const uint8_t *filled = row;
        if (k >= depth) {
            memset(row, 0, (size_t)size);
        } else if (is_plain && places->count == size && NB_WIDE_LANES > 1) {
            filled = x + places->column;
            x += s->channel;
        } else {
            for (int32_t axis = 0; axis < 3; ++axis) {
                tap.at[axis] = at[axis] * c->dilations[axis] - c->pads[axis];
            }
            nb_row_of_tap(c, x, &tap, places, outside, row);
            at[2] += 1;
            for (int32_t axis = 2; axis > 0 && at[axis] == c->kernel[axis]; --axis) {
                at[axis] = 0;
                at[axis - 1] += 1;
            }
            if (at[0] == c->kernel[0]) {
                at[0] = 0;
                x += s->channel;
            }
        }
#if NB_WIDE_LANES > 1
        rows[k & 3] = filled;
        if ((k & 3) == 3) {
            for (int32_t i = 0; i < size; i += 16) {
                nb_put_sixteen(rows, i, flip, to);
                to += 64;
            }
        }
#else
        (void)filled;
        for (int32_t i = 0; i < places->count; ++i) {
            row[i] = (uint8_t)(row[i] ^ flip);
        }
#endif
    }
}

#if NB_WIDE_LANES == 16
/* Defines results of eight channels, VECTORS * 16 of each. */
#define NB_TILE(NAME, VECTORS)                                                                    \
    static void NAME(const nb_wide_out *out, const uint8_t *x, const int8_t *w, int32_t fours,    \
                     int32_t channel, int32_t count, uint8_t *y)                                  \
    {                                                                                             \
        const int32_t left = out->channels - channel;                                             \
        __m512i sums[NB_ROWS_OF_WEIGHTS][VECTORS];                                                \
        NB_UNROLLED                                                                               \
        for (int32_t i = 0; i < NB_ROWS_OF_WEIGHTS; ++i) {                                        \
            NB_UNROLLED                                                                           \
            for (int32_t j = 0; j < (VECTORS); ++j) {                                             \
                sums[i][j] = _mm512_setzero_si512();                                              \
            }                                                                                     \
        }                                                                                         \
        for (int32_t k = 0; k < fours; ++k) {                                                     \
            __m512i data[VECTORS];                                                                \
            NB_UNROLLED                                                                           \
            for (int32_t j = 0; j < (VECTORS); ++j) {                                             \
                data[j] = _mm512_loadu_si512(x + 64 * j);                                         \
            }                                                                                     \
            NB_UNROLLED                                                                           \
            for (int32_t i = 0; i < NB_ROWS_OF_WEIGHTS; ++i) {                                    \
                const __m512i by = _mm512_set1_epi32(nb_word(w + 4 * i));                         \
                NB_UNROLLED                                                                       \
                for (int32_t j = 0; j < (VECTORS); ++j) {                                         \
                    sums[i][j] = _mm512_dpbusd_epi32(sums[i][j], data[j], by);                    \
                }                                                                                 \
            }                                                                                     \
            x += 64 * (VECTORS);                                                                  \
            w += 4 * NB_ROWS_OF_WEIGHTS;                                                          \
        }                                                                                         \
        const __m512i zero = _mm512_set1_epi32(out->zero);                                        \
        const int32_t last = count - 16 * ((VECTORS)-1);                                          \
        NB_UNROLLED                                                                               \
        for (int32_t i = 0; i < NB_ROWS_OF_WEIGHTS; ++i) {                                        \
            if (i < left) {                                                                       \
                const __m512i bias = _mm512_set1_epi32(out->bias[channel + i]);                   \
                const __m512 factor = _mm512_set1_ps(out->factor[channel + i]);                   \
                NB_UNROLLED                                                                       \
                for (int32_t j = 0; j < (VECTORS); ++j) {                                         \
                    const __m512i sum = _mm512_add_epi32(sums[i][j], bias);                       \
                    __m128i codes;                                                                \
                    NB_WIDE_CODES(sum, factor, zero, out->is_signed, codes)                       \
                    nb_store_codes(y + i * out->out_size + 16 * j, codes,                         \
                                   j + 1 < (VECTORS) ? 16 : last);                                \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
    }

NB_TILE(nb_tile_1, 1)
NB_TILE(nb_tile_2, 2)
NB_TILE(nb_tile_3, 3)

static void nb_eight_rows(const nb_wide_out *out, const uint8_t *x, const int8_t *w, int32_t fours,
                          int32_t channel, int32_t size, int32_t count, uint8_t *y)
{
    if (size == 16) {
        nb_tile_1(out, x, w, fours, channel, count, y);
    } else if (size == 32) {
        nb_tile_2(out, x, w, fours, channel, count, y);
    } else {
        nb_tile_3(out, x, w, fours, channel, count, y);
    }
}
#elif NB_WIDE_LANES == 8
/* Results of four channels, eight of each. */
static void nb_tile_4(const nb_wide_out *out, const uint8_t *x, ptrdiff_t step, const int8_t *w,
                      int32_t fours, int32_t channel, int32_t count, uint8_t *y)
{
    const int32_t left = out->channels - channel;
    __m256i low[4];
    __m256i high[4];
    NB_UNROLLED
    for (int32_t i = 0; i < 4; ++i) {
        low[i] = _mm256_setzero_si256();
        high[i] = _mm256_setzero_si256();
    }
    for (int32_t k = 0; k < fours; ++k) {
        const __m128i *from = (const __m128i *)(const void *)x;
        const __m256i first = _mm256_cvtepu8_epi16(_mm_loadu_si128(from));
        const __m256i second = _mm256_cvtepu8_epi16(_mm_loadu_si128(from + 1));
        NB_UNROLLED
        for (int32_t i = 0; i < 4; ++i) {
            const __m256i by = _mm256_cvtepi8_epi16(_mm_set1_epi32(nb_word(w + 4 * i)));
            low[i] = NB_WIDE_PAIRS(low[i], first, by);
            high[i] = NB_WIDE_PAIRS(high[i], second, by);
        }
        x += step;
        w += 4 * NB_ROWS_OF_WEIGHTS;
    }
    NB_UNROLLED
    for (int32_t i = 0; i < 4; ++i) {
        if (i < left) {
            const __m256i bias = _mm256_set1_epi32(out->bias[channel + i]);
            const __m256 factor = _mm256_set1_ps(out->factor[channel + i]);
            const __m256i sum = _mm256_add_epi32(NB_WIDE_JOINED(low[i], high[i]), bias);
            const __m256i zero = _mm256_set1_epi32(out->zero);
            __m128i codes;
            NB_WIDE_CODES(sum, factor, zero, out->is_signed, codes)
            nb_store_codes(y + i * out->out_size, codes, count);
        }
    }
}

static void nb_eight_rows(const nb_wide_out *out, const uint8_t *x, const int8_t *w, int32_t fours,
                          int32_t channel, int32_t size, int32_t count, uint8_t *y)
{
    for (int32_t i = 0; i < count; i += 8) {
        for (int32_t row = 0; row < 8 && channel + row < out->channels; row += 4) {
            nb_tile_4(out, x + 4 * i, 4 * (ptrdiff_t)size, w + 4 * row, fours, channel + row,
                      count - i, y + i + row * out->out_size);
        }
    }
}
#else
static void nb_eight_rows(const nb_wide_out *out, const uint8_t *x, const int8_t *w, int32_t fours,
                          int32_t channel, int32_t size, int32_t count, uint8_t *y)
{
    const int32_t left = out->channels - channel;
    for (int32_t i = 0; i < NB_ROWS_OF_WEIGHTS && i < left; ++i) {
        uint32_t sums[NB_PLACES] = {0u};
        const uint8_t *data = x;
        const int8_t *by = w + 4 * i;
        for (int32_t k = 0; k < fours; ++k) {
            for (int32_t j = 0; j < size; ++j) {
                sums[j] += (uint32_t)(by[0] * data[j] + by[1] * data[j + size]
                                      + by[2] * data[j + 2 * size] + by[3] * data[j + 3 * size]);
            }
            data += 4 * (ptrdiff_t)size;
            by += 4 * NB_ROWS_OF_WEIGHTS;
        }
        for (int32_t j = 0; j < count; ++j) {
            y[i * out->out_size + j] = nb_wide_code(sums[j] + (uint32_t)out->bias[channel + i],
                                                    out->factor[channel + i], out->zero,
                                                    out->is_signed);
        }
    }
}
#endif

/* All results of a group. */
static void nb_group(const nb_conv_config *c, const nb_conv_steps *s, const nb_wide_out *out,
                     const uint8_t *x, const int8_t *w, uint8_t outside, uint8_t flip, uint8_t *y,
                     uint8_t *columns)
{
    const int32_t fours = (c->in_channels * s->taps + 3) / 4;
    const int32_t total = (int32_t)nb_conv_results(c);
    const int32_t plane = c->out_dims[1] * c->out_dims[2];
    /* Of a block; threads meet twice in it, and do 16 such products in the time of one in float. */
    const ptrdiff_t products = (ptrdiff_t)4 * fours * out->channels * NB_PLACES;
    (void)products;
    NB_TEAM(total > 1 && products / 16 >= NB_WORTH)
    for (int32_t done = 0; done < total;) {
        const int32_t vectors = (total - done + 15) / 16;
        const int32_t blocks = (vectors + 2) / 3;
        const int32_t size = (vectors + blocks - 1) / blocks * 16;
        const int32_t count = total - done < size ? total - done : size;
        const nb_places places = {done / plane, done % plane / c->out_dims[2],
                                  done % c->out_dims[2], count};
        NB_SHARED
        for (int32_t part = 0; part < NB_PARTS; ++part) {
            nb_put_columns(c, s, x, &places, size, outside, flip, fours * part / NB_PARTS,
                           fours * (part + 1) / NB_PARTS, columns);
        }
        NB_SHARED
        for (int32_t channel = 0; channel < out->channels; channel += NB_ROWS_OF_WEIGHTS) {
            nb_eight_rows(out, columns, w + (ptrdiff_t)channel * 4 * fours, fours, channel, size,
                          count, y + channel * s->out_channel + done);
        }
        done += count;
    }
}

#define NB_DENSE(SUFFIX, X, FLIP)                                                               \
    void nb_conv_wide_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,       \
                               const X *x_zero, const int32_t *bias, const float *factor,       \
                               const X *y_zero, X *y, void *columns)                            \
    {                                                                                           \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                   \
        const ptrdiff_t rows = (config->out_channels + 7) / 8 * 8;                              \
        const ptrdiff_t depth = (config->in_channels * steps.taps + 3) / 4 * 4;                 \
        const uint8_t outside = (uint8_t)(x_zero == NULL ? 0 : *x_zero);                        \
        for (int32_t sample = 0; sample < config->batch; ++sample) {                            \
            for (int32_t group = 0; group < config->groups; ++group) {                          \
                const int32_t first = group * config->out_channels;                             \
                const nb_wide_out out = {config->out_channels, steps.out_channel, bias + first, \
                                         factor + first, *y_zero, (X)-1 < (X)0};                \
                nb_group(config, &steps, &out, (const uint8_t *)x, w + group * rows * depth,    \
                         outside, FLIP, (uint8_t *)y, (uint8_t *)columns);                      \
                x += config->in_channels * steps.channel;                                       \
                y += config->out_channels * steps.out_channel;                                  \
            }                                                                                   \
        }                                                                                       \
    }

NB_DENSE(u8, uint8_t, 0)
NB_DENSE(i8, int8_t, 128)
