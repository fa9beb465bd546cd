/* SPDX-License-Identifier: MIT-0 */
#include "nb_depthwise_wide.h"

#include "nb_blocks.h"
#include "nb_conv_taps.h"
#include "nb_parallel.h"
#include "nb_wide.h"

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
        const uint8_t *from = channel->x + (ptrdiff_t)line * c->x_line + start;               \
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
        const uint8_t *from = channel->x + (ptrdiff_t)line * c->x_line + start;
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
    const ptrdiff_t first = is_inside ? (ptrdiff_t)line * c->x_line : 0;
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

#define NB_FEW 128 /* weights in fours that lie on the stack, so that channels can be shared */
#define NB_PLANE(LINES, Y)                                                                 \
    if (config->strides[2] <= 4) {                                                         \
        int8_t few[NB_FEW];                                                                \
        nb_lanes_plane(config, &windows, channel, is_small ? few : (int8_t *)(LINES), Y);  \
    } else {                                                                               \
        nb_plain_plane(config, &channel, (int16_t *)(LINES), Y);                           \
    }
#define NB_WINDOWS                                                                         \
    const nb_windows windows = nb_windows_of(config->strides[2]);                          \
    const int is_small =                                                                   \
        config->strides[2] <= 4 && config->kernel[1] * (reach / 4 + 1) * 4 <= NB_FEW;      \
    NB_PARALLEL(is_small && channels > 1,                                                  \
                config->batch * channels * nb_conv_results(config) * steps.taps / 16)
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
            NB_PLANE(lines, (uint8_t *)y + i * steps.out_channel)                                \
        }                                                                                        \
    }

NB_DEPTHWISE(u8, uint8_t, 0)
NB_DEPTHWISE(i8, int8_t, 128)
