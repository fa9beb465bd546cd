/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_wide.h"

#include "nb_blocks.h"
#include "nb_conv_taps.h"
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

/* The bytes from `first` to `end`, of 64. */
static inline __mmask64 nb_bytes(int32_t first, int32_t end)
{
    const uint64_t below = end >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << end) - 1u;
    return first >= 64 ? 0u : below & ~(((uint64_t)1 << first) - 1u);
}

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
        const int32_t wide = c->out_dims[2] - column < NB_PIECE ? c->out_dims[2] - column : NB_PIECE;
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
        const ptrdiff_t from = ((ptrdiff_t)plane * c->in_dims[1] + line) * c->in_dims[2] + start;
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
 * vectors of fours, [taps][places].
 */
static void nb_put_columns(const nb_conv_config *c, const nb_conv_steps *s, const uint8_t *x,
                           const nb_places *places, int32_t size, uint8_t outside, uint8_t flip,
                           uint8_t *to)
{
    const int32_t depth = c->in_channels * s->taps;
    const int is_plain = s->taps == 1 && c->strides[2] == 1 && c->pads[2] == 0
        && c->in_dims[2] == c->out_dims[2] && c->in_dims[0] == 1 && c->in_dims[1] == 1
        && c->pads[0] == 0 && c->pads[1] == 0 && c->out_dims[0] == 1 && c->out_dims[1] == 1;
    nb_tap tap = {{0, 0, 0}};
    int32_t at[3] = {0, 0, 0};
#if NB_WIDE_LANES > 1
    const uint8_t *rows[4];
    uint8_t copies[4][NB_PLACES + 32];
#endif
    for (int32_t k = 0; k < (depth + 3) / 4 * 4; ++k) {
#if NB_WIDE_LANES > 1
        uint8_t *row = copies[k & 3];
#else
        uint8_t *row = to + (ptrdiff_t)k * size;
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
    const int32_t total = (int32_t)s->out_size;
    const int32_t plane = c->out_dims[1] * c->out_dims[2];
    int32_t done = 0;
    while (done < total) {
        const int32_t vectors = (total - done + 15) / 16;
        const int32_t blocks = (vectors + 2) / 3;
        const int32_t size = (vectors + blocks - 1) / blocks * 16;
        const int32_t count = total - done < size ? total - done : size;
        const nb_places places = {done / plane, done % plane / c->out_dims[2],
                                  done % c->out_dims[2], count};
        nb_put_columns(c, s, x, &places, size, outside, flip, columns);
        for (int32_t channel = 0; channel < out->channels; channel += NB_ROWS_OF_WEIGHTS) {
            nb_eight_rows(out, columns, w + (ptrdiff_t)channel * 4 * fours, fours, channel, size,
                          count, y + channel * s->out_size + done);
        }
        done += count;
    }
}

#define NB_DENSE(SUFFIX, X, FLIP)                                                             \
    void nb_conv_wide_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,     \
                               const X *x_zero, const int32_t *bias, const float *factor,     \
                               const X *y_zero, X *y, void *columns)                          \
    {                                                                                         \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                 \
        const ptrdiff_t rows = (config->out_channels + 7) / 8 * 8;                            \
        const ptrdiff_t depth = (config->in_channels * steps.taps + 3) / 4 * 4;               \
        const uint8_t outside = (uint8_t)(x_zero == NULL ? 0 : *x_zero);                      \
        for (int32_t sample = 0; sample < config->batch; ++sample) {                          \
            for (int32_t group = 0; group < config->groups; ++group) {                        \
                const int32_t first = group * config->out_channels;                           \
                const nb_wide_out out = {config->out_channels, steps.out_size, bias + first,  \
                                         factor + first, *y_zero, (X)-1 < (X)0};              \
                nb_group(config, &steps, &out, (const uint8_t *)x, w + group * rows * depth,  \
                         outside, FLIP, (uint8_t *)y, (uint8_t *)columns);                    \
                x += config->in_channels * steps.channel;                                     \
                y += config->out_channels * steps.out_size;                                   \
            }                                                                                 \
        }                                                                                     \
    }

NB_DENSE(u8, uint8_t, 0)
NB_DENSE(i8, int8_t, 128)

/* What the results of a channel are computed from. */
typedef struct nb_channel {
    const uint8_t *x;
    const int8_t *w; /* as given; for vectors in fours, [kernel[1]][fours][4] */
    int32_t fours;
    int32_t bias;
    float factor;
    int32_t zero;
    int32_t is_signed;
    int16_t edge;    /* what lies outside */
    uint8_t outside; /* its bits */
    uint8_t flip;
} nb_channel;

#if NB_WIDE_LANES == 16
/* Which words of 64 bytes a quarter of a vector needs, and which bytes of them are under taps. */
typedef struct nb_windows {
    __m512i words;
    __m512i bytes;
} nb_windows;

/* Results are `step` apart in the data, from 1 to 4; four taps lie side by side. */
static nb_windows nb_windows_of(int32_t step)
{
    int32_t words[16];
    uint8_t bytes[64];
    nb_windows windows;
    for (int32_t i = 0; i < 16; ++i) {
        const int32_t word = step * (i / 4) + i % 4;
        words[i] = word < 16 ? word : 15;
        for (int32_t tap = 0; tap < 4; ++tap) {
            bytes[4 * i + tap] = (uint8_t)(step * (i % 4) + tap);
        }
    }
    windows.words = _mm512_loadu_si512(words);
    windows.bytes = _mm512_loadu_si512(bytes);
    return windows;
}

/* Sixteen sums of a row of results that begin at `column`. */
#define NB_SIXTEEN_SUMS(FOURS, SUMS)                                                          \
    for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {                                           \
        const int32_t line = top + kh * c->dilations[1];                                      \
        const int is_inside = line >= 0 && line < c->in_dims[1];                              \
        const uint8_t *from = channel->x + (ptrdiff_t)line * c->in_dims[2] + start;           \
        for (int32_t four = 0; four < (FOURS); ++four) {                                      \
            const int32_t at = start + 4 * four;                                              \
            const int32_t first = at < 0 ? -at : 0;                                           \
            const int32_t end = c->in_dims[2] - at < 64 ? c->in_dims[2] - at : 64;            \
            __m512i data = edge;                                                              \
            if (is_inside && end > first) {                                                   \
                data = _mm512_mask_loadu_epi8(edge, nb_bytes(first, end), from + 4 * four);   \
            }                                                                                 \
            data = _mm512_permutexvar_epi32(windows->words, _mm512_xor_si512(data, flips));   \
            data = _mm512_shuffle_epi8(data, windows->bytes);                                 \
            const int8_t *by = channel->w + 4 * (kh * (FOURS) + four);                        \
            SUMS = _mm512_dpbusd_epi32(SUMS, data, _mm512_set1_epi32(nb_word(by)));           \
        }                                                                                     \
    }

static void nb_wide_plane(const nb_conv_config *c, const nb_windows *windows,
                          const nb_channel *channel, uint8_t *y)
{
    const __m512i edge = _mm512_set1_epi8((char)channel->outside);
    const __m512i flips = _mm512_set1_epi8((char)channel->flip);
    const __m512i bias = _mm512_set1_epi32(channel->bias);
    const __m512i zero = _mm512_set1_epi32(channel->zero);
    const __m512 factor = _mm512_set1_ps(channel->factor);
    for (int32_t column = 0; column < c->out_dims[2]; column += 16) {
        const int32_t start = column * c->strides[2] - c->pads[2];
        for (int32_t row = 0; row < c->out_dims[1]; ++row) {
            const int32_t top = row * c->strides[1] - c->pads[1];
            __m512i sums = bias;
            __m128i codes;
            NB_SIXTEEN_SUMS(channel->fours, sums)
            NB_WIDE_CODES(sums, factor, zero, channel->is_signed, codes)
            nb_store_codes(y + (ptrdiff_t)row * c->out_dims[2] + column, codes,
                           c->out_dims[2] - column);
        }
    }
}

/* The data under a row of three or four taps for sixteen results; a row may be outside. */
static inline __m512i nb_window(const nb_conv_config *c, const nb_channel *channel, int32_t line,
                                int32_t start, __mmask64 inside, const nb_windows *windows)
{
    const __m512i edge = _mm512_set1_epi8((char)channel->outside);
    const __m512i flips = _mm512_set1_epi8((char)channel->flip);
    __m512i data = edge;
    if (line >= 0 && line < c->in_dims[1]) {
        const uint8_t *from = channel->x + (ptrdiff_t)line * c->in_dims[2] + start;
        data = _mm512_mask_loadu_epi8(edge, inside, from);
    }
    data = _mm512_permutexvar_epi32(windows->words, _mm512_xor_si512(data, flips));
    return _mm512_shuffle_epi8(data, windows->bytes);
}

/* A plane of three rows of up to four taps, side by side: rows serve several results. */
static void nb_wide_plane_3(const nb_conv_config *c, const nb_windows *given,
                            const nb_channel *channel, uint8_t *y)
{
    const nb_windows windows = *given;
    const __m512i bias = _mm512_set1_epi32(channel->bias);
    const __m512i zero = _mm512_set1_epi32(channel->zero);
    const __m512 factor = _mm512_set1_ps(channel->factor);
    const __m512i top = _mm512_set1_epi32(nb_word(channel->w));
    const __m512i middle = _mm512_set1_epi32(nb_word(channel->w + 4));
    const __m512i bottom = _mm512_set1_epi32(nb_word(channel->w + 8));
    const int32_t width = c->out_dims[2];
    for (int32_t column = 0; column < width; column += 16) {
        const int32_t start = column * c->strides[2] - c->pads[2];
        const int32_t end = c->in_dims[2] - start < 64 ? c->in_dims[2] - start : 64;
        const __mmask64 inside = end > 0 ? nb_bytes(start < 0 ? -start : 0, end) : 0u;
        int32_t line = -c->pads[1];
        __m512i first = nb_window(c, channel, line, start, inside, &windows);
        __m512i second = nb_window(c, channel, line + 1, start, inside, &windows);
        uint8_t *to = y + column;
        for (int32_t row = 0; row < c->out_dims[1]; ++row) {
            const __m512i third = nb_window(c, channel, line + 2, start, inside, &windows);
            __m512i sums = _mm512_dpbusd_epi32(bias, first, top);
            __m128i codes;
            sums = _mm512_dpbusd_epi32(sums, second, middle);
            sums = _mm512_dpbusd_epi32(sums, third, bottom);
            NB_WIDE_CODES(sums, factor, zero, channel->is_signed, codes)
            nb_store_codes(to, codes, width - column);
            to += width;
            line += c->strides[1];
            if (c->strides[1] == 1) {
                first = second;
                second = third;
            } else {
                first = third;
                second = nb_window(c, channel, line + 1, start, inside, &windows);
                if (c->strides[1] > 2) {
                    first = nb_window(c, channel, line, start, inside, &windows);
                }
            }
        }
    }
}

/* Puts the weights of a channel in fours, with zeros between them where taps are apart. */
static void nb_put_taps(const nb_conv_config *c, const int8_t *w, int32_t fours, int8_t *to)
{
    memset(to, 0, (size_t)c->kernel[1] * (size_t)fours * 4u);
    for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {
        for (int32_t kw = 0; kw < c->kernel[2]; ++kw) {
            to[4 * kh * fours + kw * c->dilations[2]] = *w++;
        }
    }
}
#endif

/* A row of the input, or what lies outside, from `pads` before its first number on. */
static void nb_put_row(const nb_conv_config *c, const nb_channel *channel, int32_t line,
                       int32_t length, int16_t *to)
{
    const int32_t left = c->pads[2] < length ? c->pads[2] : length;
    const int32_t room = length - left;
    const int is_inside = line >= 0 && line < c->in_dims[1];
    const int32_t width = is_inside ? c->in_dims[2] : 0;
    const int32_t count = width < room ? width : room;
    const ptrdiff_t first = is_inside ? (ptrdiff_t)line * c->in_dims[2] : 0;
    for (int32_t i = 0; i < left; ++i) {
        to[i] = channel->edge;
    }
    if (channel->is_signed) {
        const int8_t *from = (const int8_t *)channel->x + first;
        for (int32_t i = 0; i < count; ++i) {
            to[left + i] = from[i];
        }
    } else {
        for (int32_t i = 0; i < count; ++i) {
            to[left + i] = channel->x[first + i];
        }
    }
    for (int32_t i = left + count; i < length; ++i) {
        to[i] = channel->edge;
    }
}

#define NB_SIDE 16 /* results along a row that are computed together */

/* Defines a row of results that are STEP apart in the rows of data. */
#define NB_ROW_OF_RESULTS(NAME, STEP)                                                             \
    static void NAME(const nb_conv_config *c, const nb_channel *channel, const int16_t *rows,     \
                     int32_t length, uint8_t *y)                                                  \
    {                                                                                             \
        for (int32_t column = 0; column < c->out_dims[2]; column += NB_SIDE) {                    \
            const int32_t left = c->out_dims[2] - column;                                         \
            const int8_t *w = channel->w;                                                         \
            uint32_t sums[NB_SIDE];                                                               \
            uint8_t codes[NB_SIDE];                                                               \
            for (int32_t i = 0; i < NB_SIDE; ++i) {                                               \
                sums[i] = (uint32_t)channel->bias;                                                \
            }                                                                                     \
            for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {                                       \
                const int16_t *x = rows + (ptrdiff_t)kh * length + column * (ptrdiff_t)(STEP);    \
                NB_AROUND_LANES                                                                   \
                for (int32_t kw = 0; kw < c->kernel[2]; ++kw) {                                   \
                    const int16_t by = *w++;                                                      \
                    NB_OVER_LANES                                                                 \
                    for (int32_t i = 0; i < NB_SIDE; ++i) {                                       \
                        sums[i] += (uint32_t)(by * x[(ptrdiff_t)i * (STEP)]);                     \
                    }                                                                             \
                    x += c->dilations[2];                                                         \
                }                                                                                 \
            }                                                                                     \
            for (int32_t i = 0; i < NB_SIDE; ++i) {                                               \
                codes[i] =                                                                        \
                    nb_wide_code(sums[i], channel->factor, channel->zero, channel->is_signed);    \
            }                                                                                     \
            memcpy(y + column, codes, (size_t)(left < NB_SIDE ? left : NB_SIDE));                 \
        }                                                                                         \
    }

NB_ROW_OF_RESULTS(nb_row_by_1, 1)
NB_ROW_OF_RESULTS(nb_row_by_2, 2)
NB_ROW_OF_RESULTS(nb_row_by_any, c->strides[2])

/* A plane of results, row by row, from copies of the rows of data. */
static void nb_plain_plane(const nb_conv_config *c, const nb_channel *channel, int16_t *rows,
                           uint8_t *y)
{
    const int32_t length = (c->out_dims[2] + NB_SIDE) * c->strides[2]
        + (c->kernel[2] - 1) * c->dilations[2] + 1;
    for (int32_t row = 0; row < c->out_dims[1]; ++row) {
        const int32_t top = row * c->strides[1] - c->pads[1];
        for (int32_t kh = 0; kh < c->kernel[1]; ++kh) {
            nb_put_row(c, channel, top + kh * c->dilations[1], length,
                       rows + (ptrdiff_t)kh * length);
        }
        if (c->strides[2] == 1) {
            nb_row_by_1(c, channel, rows, length, y);
        } else if (c->strides[2] == 2) {
            nb_row_by_2(c, channel, rows, length, y);
        } else {
            nb_row_by_any(c, channel, rows, length, y);
        }
        y += c->out_dims[2];
    }
}

#if NB_WIDE_LANES == 16
/* A plane of results; weights are put in fours first, and the flips of numbers into the bias. */
static void nb_lanes_plane(const nb_conv_config *c, const nb_windows *windows, nb_channel channel,
                           int8_t *lines, uint8_t *y)
{
    const int32_t taps = c->kernel[1] * c->kernel[2];
    int32_t sum = 0;
    for (int32_t tap = 0; tap < taps; ++tap) {
        sum += channel.w[tap];
    }
    nb_put_taps(c, channel.w, channel.fours, lines);
    channel.w = lines;
    channel.bias = (int32_t)((uint32_t)channel.bias - (uint32_t)(channel.flip * sum));
    if (c->kernel[1] == 3 && c->dilations[1] == 1 && channel.fours == 1) {
        nb_wide_plane_3(c, windows, &channel, y);
    } else {
        nb_wide_plane(c, windows, &channel, y);
    }
}

#define NB_PLANE(LINES, Y)                                                      \
    if (config->strides[2] <= 4) {                                              \
        nb_lanes_plane(config, &windows, channel, (int8_t *)(LINES), Y);        \
    } else {                                                                    \
        nb_plain_plane(config, &channel, (int16_t *)(LINES), Y);                \
    }
#define NB_WINDOWS const nb_windows windows = nb_windows_of(config->strides[2]);
#else
#define NB_PLANE(LINES, Y) nb_plain_plane(config, &channel, (int16_t *)(LINES), Y);
#define NB_WINDOWS
#endif

#define NB_DEPTHWISE(SUFFIX, X, FLIP)                                                            \
    void nb_depthwise_wide_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,   \
                                    const X *x_zero, const int32_t *bias, const float *factor,   \
                                    const X *y_zero, X *y, void *lines)                          \
    {                                                                                            \
        const nb_conv_steps steps = nb_conv_steps_of(config);                                    \
        const int32_t channels = config->groups * config->out_channels;                          \
        const int32_t reach = (config->kernel[2] - 1) * config->dilations[2];                    \
        const X edge = x_zero == NULL ? 0 : *x_zero;                                             \
        NB_WINDOWS                                                                               \
        for (int32_t i = 0; i < config->batch * channels; ++i) {                                 \
            const int32_t out = i % channels;                                                    \
            const nb_channel channel = {                                                         \
                (const uint8_t *)x + i / config->out_channels * steps.channel,                   \
                w + (ptrdiff_t)out * steps.taps,                                                 \
                reach / 4 + 1,                                                                   \
                bias[out],                                                                       \
                factor[out],                                                                     \
                *y_zero,                                                                         \
                (X)-1 < (X)0,                                                                    \
                edge,                                                                            \
                (uint8_t)edge,                                                                   \
                FLIP,                                                                            \
            };                                                                                   \
            NB_PLANE(lines, (uint8_t *)y + i * steps.out_size)                                   \
        }                                                                                        \
    }

NB_DEPTHWISE(u8, uint8_t, 0)
NB_DEPTHWISE(i8, int8_t, 128)
