/* SPDX-License-Identifier: MIT-0 */
#include "nb_codes.h"

#include "nb_quantize.h"
#include "nb_vec.h"

#ifndef __FP_FAST_FMAF
/* The whole number that x is, times 2^-*exponent: its sign and 24 bits. */
static inline int64_t nb_mantissa(float x, int32_t *exponent)
{
    const uint32_t bits = nb_bits(x);
    const int32_t biased = (int32_t)((bits >> 23) & 255u);
    const int64_t whole = (int64_t)((bits & 0x007FFFFFu) | (biased != 0 ? 0x00800000u : 0u));
    *exponent = (biased != 0 ? biased : 1) - 150;
    return (bits >> 31) != 0u ? -whole : whole;
}

/* x / 2^shift towards negative infinity; its last bit is 1 where something was cut off. */
static inline int64_t nb_shifted(int64_t x, int32_t shift)
{
    if (shift >= 62) {
        return x < 0 ? -1 : (x != 0 ? 1 : 0);
    }
    const int64_t unit = (int64_t)1 << shift;
    const int64_t rest = x & (unit - 1);
    const int64_t whole = (x - rest) / unit;
    return rest != 0 ? whole | 1 : whole;
}
#endif

/* code * b + c, rounded once. Without an instruction for it: in whole numbers of 64 bits. */
static inline float nb_fused(int32_t code, float b, float c)
{
#ifdef __FP_FAST_FMAF
    return __builtin_fmaf((float)code, b, c);
#else
    int32_t exponent;
    int32_t other;
    const int64_t product = nb_mantissa(b, &exponent) * code; /* below 2^32 */
    const int64_t term = nb_mantissa(c, &other);
    int64_t total;
    if (product == 0) {
        return c + 0.0f;
    }
    if (exponent >= other) {
        const int32_t near = exponent - other < 28 ? exponent - other : 28;
        total = product * ((int64_t)1 << near) + nb_shifted(term, exponent - other - near);
        exponent -= near;
    } else {
        const int32_t near = other - exponent < 36 ? other - exponent : 36;
        total = term * ((int64_t)1 << near) + nb_shifted(product, other - exponent - near);
        exponent = other - near;
    }
    const int32_t first = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
    const int32_t rest = exponent - first < -126 ? -126 : exponent - first;
    return ((float)total * nb_from_bits((uint32_t)(first + 127) << 23))
        * nb_from_bits((uint32_t)(rest + 127) << 23);
#endif
}

void nb_look_up(const nb_look_up_config *config, const void *x, const void *table, void *y)
{
    const uint8_t *from = (const uint8_t *)x;
    const uint8_t *entry = (const uint8_t *)table;
    uint8_t *to = (uint8_t *)y;
    for (int32_t outer = 0; outer < config->outer; ++outer) {
        for (int32_t i = 0; i < config->inner; ++i) {
            to[i] = entry[from[i]];
        }
        from += config->inner;
        to += config->y_step;
    }
}

void nb_look_up_wide(const nb_look_up_config *config, const void *x, const void *table, void *y)
{
    const uint8_t *from = (const uint8_t *)x;
    const uint16_t *entry = (const uint16_t *)table;
    uint16_t *to = (uint16_t *)y;
    for (int32_t outer = 0; outer < config->outer; ++outer) {
        for (int32_t i = 0; i < config->inner; ++i) {
            to[i] = entry[from[i]];
        }
        from += config->inner;
        to += config->y_step;
    }
}

/* Where both inputs lie side by side, elements are computed many at once, in copies of their own:
   y may be an input. */
#if NB_VL > 1 && defined(__FP_FAST_FMAF) && !defined(__ARM_FEATURE_MVE)
#define NB_PIECE 16
#define NB_PIECES_OF_CODES(TYPE, VALUE)                                                          \
    if (config->rank == 1 && config->a_strides[0] == 1 && config->b_strides[0] == 1) {           \
        int32_t done = 0;                                                                        \
        for (; done + NB_PIECE <= config->dims[0]; done += NB_PIECE) {                           \
            TYPE left[NB_PIECE];                                                                 \
            TYPE right[NB_PIECE];                                                                \
            TYPE made[NB_PIECE];                                                                 \
            memcpy(left, a + done, sizeof left);                                                 \
            memcpy(right, b + done, sizeof right);                                               \
            for (int32_t i = 0; i < NB_PIECE; ++i) {                                             \
                const TYPE u = left[i];                                                          \
                const TYPE v = right[i];                                                         \
                const float whole = nb_within(nb_rint(VALUE), NB_LEAST(TYPE), NB_LARGEST(TYPE)); \
                made[i] = (TYPE)(int32_t)whole;                                                  \
            }                                                                                    \
            memcpy(y + done, made, sizeof made);                                                 \
        }                                                                                        \
        for (; done < config->dims[0]; ++done) {                                                 \
            const TYPE u = a[done];                                                              \
            const TYPE v = b[done];                                                              \
            y[done] = (TYPE)nb_within(nb_rint(VALUE), NB_LEAST(TYPE), NB_LARGEST(TYPE));         \
        }                                                                                        \
        return;                                                                                  \
    }
#else
#define NB_PIECES_OF_CODES(TYPE, VALUE)
#endif

/* Defines a kernel of two inputs that gives VALUE, of u from a and v from b, as a code. */
#define NB_BINARY_CODES(NAME, TYPE, VALUE)                                                        \
    void NAME(const nb_binary_config *config, const TYPE *a, const TYPE *b, const float *by,      \
              TYPE *y)                                                                            \
    {                                                                                             \
        NB_PIECES_OF_CODES(TYPE, VALUE)                                                           \
        NB_BINARY_BODY(TYPE, TYPE, nb_within(nb_rint(VALUE), NB_LEAST(TYPE), NB_LARGEST(TYPE)))   \
    }

#define NB_DEFINE_CODES(SUFFIX, TYPE)                                                            \
    NB_BINARY_CODES(nb_add_codes_##SUFFIX, TYPE, nb_fused(u, by[0], nb_fused(v, by[1], by[2])))  \
    NB_BINARY_CODES(nb_mul_codes_##SUFFIX, TYPE,                                                 \
                    (((float)u - by[1]) * ((float)v - by[2])) * by[0] + by[3])                   \
    void nb_mean_codes_##SUFFIX(const nb_mean_codes_config *config, const TYPE *x,               \
                                const float *by, TYPE *y)                                        \
    {                                                                                            \
        NB_LINES_OF_CODES({                                                                      \
            int32_t sum = 0;                                                                     \
            for (int32_t k = 0; k < config->size; ++k) {                                         \
                sum += x[start + k * step];                                                      \
            }                                                                                    \
            *y++ = (TYPE)nb_requantized(sum - (int32_t)by[1] * config->size, by[0],              \
                                        (int32_t)by[2], NB_LEAST(TYPE), NB_LARGEST(TYPE));       \
        })                                                                                       \
    }                                                                                            \
    void nb_softmax_codes_##SUFFIX(const nb_softmax_codes_config *config, const TYPE *x,         \
                                   const float *table, const float *by, TYPE *y)                 \
    {                                                                                            \
        NB_LINES_OF_CODES({                                                                      \
            int32_t most = INT32_MIN;                                                            \
            float total = 0.0f;                                                                  \
            for (int32_t k = 0; k < config->size; ++k) {                                         \
                most = x[start + k * step] > most ? x[start + k * step] : most;                  \
            }                                                                                    \
            for (int32_t k = 0; k < config->size; ++k) {                                         \
                total += table[255 + x[start + k * step] - most];                                \
            }                                                                                    \
            for (int32_t k = 0; k < config->size; ++k) {                                         \
                const float share = table[255 + x[start + k * step] - most] * by[0] / total;     \
                const float whole = nb_rint(share) + by[1];                                      \
                y[start + k * step] =                                                            \
                    (TYPE)(whole > NB_LARGEST(TYPE) ? NB_LARGEST(TYPE) : whole);                 \
            }                                                                                    \
        })                                                                                       \
    }

NB_CODES(NB_DEFINE_CODES)
