/* SPDX-License-Identifier: MIT-0 */
#include "nb_product_wide.h"

#include "nb_parallel.h"
#include "nb_wide.h"

#define NB_ROWS_OF_DATA 4

/* Bytes from four numbers of each column to the next four: the last columns lie close together. */
static ptrdiff_t nb_step(int32_t left)
{
    return 4 * (ptrdiff_t)(left < 16 ? left : 16);
}

/* Defines up to ROWS rows of results of sixteen columns each. */
#if NB_WIDE_LANES == 16
#define NB_TILE(NAME, ROWS)                                                                       \
    static void NAME(const nb_wide_out *out, const uint8_t *x, const int8_t *w, int32_t fours,    \
                     int32_t column, uint8_t *y)                                                  \
    {                                                                                             \
        const int32_t left = out->channels - column;                                              \
        const __mmask16 some = (__mmask16)(left >= 16 ? 0xFFFFu : (1u << left) - 1u);             \
        const __m512i bias = _mm512_maskz_loadu_epi32(some, out->bias + column);                  \
        const __m512 factor = _mm512_maskz_loadu_ps(some, out->factor + column);                  \
        const __m512i zero = _mm512_set1_epi32(out->zero);                                        \
        const ptrdiff_t depth = 4 * (ptrdiff_t)fours;                                             \
        const ptrdiff_t step = nb_step(out->channels - column);                                   \
        __m512i sums[ROWS][2];                                                                    \
        NB_UNROLLED                                                                               \
        for (int32_t i = 0; i < (ROWS); ++i) {                                                    \
            sums[i][0] = bias;                                                                    \
            sums[i][1] = _mm512_setzero_si512();                                                  \
        }                                                                                         \
        for (int32_t k = 0; k + 2 <= fours; k += 2) {                                             \
            const __m512i first = _mm512_loadu_si512(w);                                          \
            const __m512i second = _mm512_loadu_si512(w + step);                                  \
            NB_UNROLLED                                                                           \
            for (int32_t i = 0; i < (ROWS); ++i) {                                                \
                const uint8_t *from = x + i * depth;                                              \
                sums[i][0] = _mm512_dpbusd_epi32(sums[i][0], _mm512_set1_epi32(nb_word(from)),    \
                                                 first);                                          \
                sums[i][1] = _mm512_dpbusd_epi32(sums[i][1],                                      \
                                                 _mm512_set1_epi32(nb_word(from + 4)), second);   \
            }                                                                                     \
            x += 8;                                                                               \
            w += 2 * step;                                                                        \
        }                                                                                         \
        NB_UNROLLED                                                                               \
        for (int32_t i = 0; i < (ROWS); ++i) {                                                    \
            __m512i sum = _mm512_add_epi32(sums[i][0], sums[i][1]);                               \
            __m128i codes;                                                                        \
            if (fours % 2 != 0) {                                                                 \
                const __m512i number = _mm512_set1_epi32(nb_word(x + i * depth));                 \
                sum = _mm512_dpbusd_epi32(sum, number, _mm512_loadu_si512(w));                    \
            }                                                                                     \
            NB_WIDE_CODES(sum, factor, zero, out->is_signed, codes)                               \
            nb_store_codes(y + i * out->out_size, codes, left);                                   \
        }                                                                                         \
    }
#elif NB_WIDE_LANES == 8
#define NB_TILE(NAME, ROWS)                                                                       \
    static void NAME(const nb_wide_out *out, const uint8_t *x, const int8_t *w, int32_t fours,    \
                     int32_t column, uint8_t *y)                                                  \
    {                                                                                             \
        const __m256i zero = _mm256_set1_epi32(out->zero);                                        \
        const ptrdiff_t depth = 4 * (ptrdiff_t)fours;                                             \
        const ptrdiff_t step = nb_step(out->channels - column);                                   \
        for (int32_t half = 0; half < 16 && column + half < out->channels; half += 8) {           \
            const int32_t left = out->channels - column - half;                                   \
            const int8_t *by = w + 4 * half;                                                      \
            int32_t bias[8] = {0};                                                                \
            float factor[8] = {0.0f};                                                             \
            __m256i low[ROWS];                                                                    \
            __m256i high[ROWS];                                                                   \
            for (int32_t j = 0; j < 8 && j < left; ++j) {                                         \
                bias[j] = out->bias[column + half + j];                                           \
                factor[j] = out->factor[column + half + j];                                       \
            }                                                                                     \
            const __m256i starts = _mm256_loadu_si256((const __m256i *)(const void *)bias);       \
            const __m256 factors = _mm256_loadu_ps(factor);                                       \
            NB_UNROLLED                                                                           \
            for (int32_t i = 0; i < (ROWS); ++i) {                                                \
                low[i] = _mm256_setzero_si256();                                                  \
                high[i] = _mm256_setzero_si256();                                                 \
            }                                                                                     \
            for (int32_t k = 0; k < fours; ++k) {                                                 \
                const __m128i *from = (const __m128i *)(const void *)by;                          \
                const __m256i first = _mm256_cvtepi8_epi16(_mm_loadu_si128(from));                \
                const __m256i second = _mm256_cvtepi8_epi16(_mm_loadu_si128(from + 1));           \
                NB_UNROLLED                                                                       \
                for (int32_t i = 0; i < (ROWS); ++i) {                                            \
                    const int32_t word = nb_word(x + i * depth + 4 * (ptrdiff_t)k);               \
                    const __m256i number = _mm256_cvtepu8_epi16(_mm_set1_epi32(word));            \
                    low[i] = NB_WIDE_PAIRS(low[i], number, first);                                \
                    high[i] = NB_WIDE_PAIRS(high[i], number, second);                             \
                }                                                                                 \
                by += step;                                                                       \
            }                                                                                     \
            NB_UNROLLED                                                                           \
            for (int32_t i = 0; i < (ROWS); ++i) {                                                \
                const __m256i sum = _mm256_add_epi32(NB_WIDE_JOINED(low[i], high[i]), starts);    \
                __m128i codes;                                                                    \
                NB_WIDE_CODES(sum, factors, zero, out->is_signed, codes)                          \
                nb_store_codes(y + i * out->out_size + half, codes, left);                        \
            }                                                                                     \
        }                                                                                         \
    }
#else
#define NB_TILE(NAME, ROWS)                                                                       \
    static void NAME(const nb_wide_out *out, const uint8_t *x, const int8_t *w, int32_t fours,    \
                     int32_t column, uint8_t *y)                                                  \
    {                                                                                             \
        const int32_t left = out->channels - column;                                              \
        const ptrdiff_t step = nb_step(left);                                                     \
        for (int32_t i = 0; i < (ROWS); ++i) {                                                    \
            uint32_t sums[16] = {0u};                                                             \
            const int8_t *by = w;                                                                 \
            for (int32_t k = 0; k < fours; ++k) {                                                 \
                for (int32_t j = 0; j < 16; ++j) {                                                \
                    sums[j] += (uint32_t)(by[4 * j] * x[0] + by[4 * j + 1] * x[1]                 \
                                          + by[4 * j + 2] * x[2] + by[4 * j + 3] * x[3]);         \
                }                                                                                 \
                x += 4;                                                                           \
                by += step;                                                                       \
            }                                                                                     \
            for (int32_t j = 0; j < 16 && j < left; ++j) {                                        \
                y[i * out->out_size + j] =                                                        \
                    nb_wide_code(sums[j] + (uint32_t)out->bias[column + j],                       \
                                 out->factor[column + j], out->zero, out->is_signed);             \
            }                                                                                     \
        }                                                                                         \
    }
#endif

NB_TILE(nb_tile_4, NB_ROWS_OF_DATA)
NB_TILE(nb_tile_1, 1)

/* Copies rows of numbers, filled up to a multiple of four with 0. */
static void nb_put_rows(const uint8_t *x, int32_t count, int32_t depth, uint8_t flip, uint8_t *to)
{
    for (int32_t row = 0; row < count; ++row) {
        for (int32_t k = 0; k < depth; ++k) {
            to[k] = x[k] ^ flip;
        }
        for (int32_t k = depth; k < (depth + 3) / 4 * 4; ++k) {
            to[k] = 0;
        }
        x += depth;
        to += (depth + 3) / 4 * 4;
    }
}

#define NB_PRODUCT(SUFFIX, X, FLIP)                                                             \
    void nb_product_wide_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,    \
                                  const X *x_zero, const int32_t *bias, const float *factor,    \
                                  const X *y_zero, X *y, void *columns)                         \
    {                                                                                           \
        const int32_t outs = config->out_channels;                                              \
        const int32_t depth = config->in_channels;                                              \
        const int32_t fours = (depth + 3) / 4;                                                  \
        const nb_wide_out out = {outs, outs, bias, factor, *y_zero, (X)-1 < (X)0};              \
        (void)x_zero;                                                                           \
        for (int32_t row = 0; row < config->batch; row += NB_ROWS_OF_DATA) {                    \
            const int32_t left = config->batch - row;                                           \
            const int32_t count = left < NB_ROWS_OF_DATA ? left : NB_ROWS_OF_DATA;              \
            nb_put_rows((const uint8_t *)x, count, depth, FLIP, (uint8_t *)columns);            \
            NB_PARALLEL(outs > 16, (ptrdiff_t)count * depth * outs / 4)                         \
            for (int32_t column = 0; column < outs; column += 16) {                             \
                const int8_t *by = w + (ptrdiff_t)column * 4 * fours;                           \
                if (count == NB_ROWS_OF_DATA) {                                                 \
                    nb_tile_4(&out, (const uint8_t *)columns, by, fours, column,                \
                              (uint8_t *)y + column);                                           \
                } else {                                                                        \
                    for (int32_t i = 0; i < count; ++i) {                                       \
                        nb_tile_1(&out, (const uint8_t *)columns + (ptrdiff_t)i * 4 * fours,    \
                                  by, fours, column, (uint8_t *)y + column + i * out.out_size); \
                    }                                                                           \
                }                                                                               \
            }                                                                                   \
            x += (ptrdiff_t)count * depth;                                                      \
            y += (ptrdiff_t)count * outs;                                                       \
        }                                                                                       \
    }

NB_PRODUCT(u8, uint8_t, 0)
NB_PRODUCT(i8, int8_t, 128)
