/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_wide: sums of products of four 8-bit numbers, many side by side.
 *
 * NB_WIDE_LANES sums make a nb_sums. What is multiplied lies four by four: [lane][4]. Sums are
 * 32-bit and wrap around, so that how they are made changes the speed, never a bit.
 */
#ifndef NB_WIDE_H
#define NB_WIDE_H

#include "nb_quantize.h"
#include "nb_vec.h"

#if !defined(NB_WIDE_LANES)
#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__GNUC__)
#define NB_WIDE_LANES 16
#elif defined(__AVX2__) && defined(__GNUC__)
#define NB_WIDE_LANES 8
#else
#define NB_WIDE_LANES 1
#endif
#endif

/* What makes codes of sums, and where they go. */
typedef struct nb_wide_out {
    int32_t channels;
    ptrdiff_t out_size; /* from one channel to the next */
    const int32_t *bias;
    const float *factor;
    int32_t zero;
    int32_t is_signed;
} nb_wide_out;

/* The code of a sum, in 8 bits, as nb_requantized makes it but without branches: numbers are kept
   to a range in which adding and taking off 1.5 * 2^23 leaves the nearest whole one, to even. */
static inline uint8_t nb_wide_code(uint32_t sum, float factor, int32_t zero, int32_t is_signed)
{
    const float scaled = (float)(int32_t)sum * factor;
    const float not_low = scaled < -1024.0f ? -1024.0f : scaled;
    const float kept = not_low > 1024.0f ? 1024.0f : not_low;
    const int32_t whole = (int32_t)((kept + 12582912.0f) - 12582912.0f) + zero;
    const int32_t least = is_signed ? -128 : 0;
    const int32_t code = whole < least ? least : whole;
    return (uint8_t)(code > least + 255 ? least + 255 : code);
}

#if NB_WIDE_LANES > 1
#include <immintrin.h>

/* Four bytes, wherever they lie. */
static inline int32_t nb_word(const void *from)
{
    int32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}
#endif

#if NB_WIDE_LANES == 16
/* The codes of sixteen sums, kept to a range in which numbers are whole before they are. */
#define NB_WIDE_CODES(SUMS, FACTOR, ZERO, IS_SIGNED, CODES)                                       \
    {                                                                                             \
        const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(SUMS), FACTOR);                    \
        const __m512 above = _mm512_max_ps(scaled, _mm512_set1_ps(-1024.0f));                      \
        const __m512 kept = _mm512_min_ps(above, _mm512_set1_ps(1024.0f));                         \
        const __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(kept), ZERO);                   \
        CODES = (IS_SIGNED)                                                                       \
            ? _mm512_cvtsepi32_epi8(whole)                                                        \
            : _mm512_cvtusepi32_epi8(_mm512_max_epi32(whole, _mm512_setzero_si512()));            \
    }

/* Stores the first `count` of sixteen codes. */
static inline void nb_store_codes(uint8_t *to, __m128i codes, int32_t count)
{
    if (count >= 16) {
        _mm_storeu_si128((__m128i *)(void *)to, codes);
    } else {
        _mm_mask_storeu_epi8(to, (__mmask16)((1u << count) - 1u), codes);
    }
}
#elif NB_WIDE_LANES == 8
/* Products of four numbers without a sign by four with one, for four lanes; two sums of each. */
#define NB_WIDE_PAIRS(SUM, NUMBERS, WEIGHTS) \
    _mm256_add_epi32(SUM, _mm256_madd_epi16(NUMBERS, WEIGHTS))

/* Makes eight sums of two halves that have two for each. */
#define NB_WIDE_JOINED(LOW, HIGH) \
    _mm256_permute4x64_epi64(_mm256_hadd_epi32(LOW, HIGH), 0xD8)

/* The codes of eight sums, as eight bytes. */
#define NB_WIDE_CODES(SUMS, FACTOR, ZERO, IS_SIGNED, CODES)                                       \
    {                                                                                             \
        const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(SUMS), FACTOR);                    \
        const __m256 above = _mm256_max_ps(scaled, _mm256_set1_ps(-1024.0f));                      \
        const __m256 kept = _mm256_min_ps(above, _mm256_set1_ps(1024.0f));                         \
        const __m256i whole = _mm256_add_epi32(_mm256_cvtps_epi32(kept), ZERO);                   \
        const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole),                      \
                                              _mm256_extracti128_si256(whole, 1));                \
        CODES = (IS_SIGNED) ? _mm_packs_epi16(words, words) : _mm_packus_epi16(words, words);     \
    }

/* Stores the first `count` of eight codes. */
static inline void nb_store_codes(uint8_t *to, __m128i codes, int32_t count)
{
    if (count >= 8) {
        _mm_storel_epi64((__m128i *)(void *)to, codes);
    } else {
        uint8_t eight[16];
        _mm_storeu_si128((__m128i *)(void *)eight, codes);
        memcpy(to, eight, (size_t)count);
    }
}
#endif

#if NB_WIDE_LANES == 16
/* The bytes from `first` to `end`, of 64. */
static inline __mmask64 nb_bytes(int32_t first, int32_t end)
{
    const uint64_t below = end >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << end) - 1u;
    return first >= 64 ? 0u : below & ~(((uint64_t)1 << first) - 1u);
}
#endif

#endif
