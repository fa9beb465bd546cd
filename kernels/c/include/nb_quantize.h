/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_quantize: numbers as integers of 8 or 16 bits; q stands for scale * (q - zero).
 *
 * Scales and zero points are one, or one per index of an axis. A zero point that is NULL is 0.
 * Rounding is to even; what does not fit gives the nearest number that there is, NaN gives 0.
 */
#ifndef NB_QUANTIZE_H
#define NB_QUANTIZE_H

#include "nb_float.h"

typedef struct nb_quantize_config {
    int32_t outer; /* elements of all axes before */
    int32_t size;  /* of the axis that scales go along */
    int32_t inner; /* elements of all axes behind */
    int32_t step;  /* 1 when there is a scale per index, 0 when there is one */
} nb_quantize_config;

void nb_quantize_i8(const nb_quantize_config *config, const float *x, const float *scale,
                    const int8_t *zero, int8_t *y);
void nb_quantize_u8(const nb_quantize_config *config, const float *x, const float *scale,
                    const uint8_t *zero, uint8_t *y);
void nb_quantize_i16(const nb_quantize_config *config, const float *x, const float *scale,
                     const int16_t *zero, int16_t *y);
void nb_quantize_u16(const nb_quantize_config *config, const float *x, const float *scale,
                     const uint16_t *zero, uint16_t *y);

void nb_dequantize_i8(const nb_quantize_config *config, const int8_t *x, const float *scale,
                      const int8_t *zero, float *y);
void nb_dequantize_u8(const nb_quantize_config *config, const uint8_t *x, const float *scale,
                      const uint8_t *zero, float *y);
void nb_dequantize_i16(const nb_quantize_config *config, const int16_t *x, const float *scale,
                       const int16_t *zero, float *y);
void nb_dequantize_u16(const nb_quantize_config *config, const uint16_t *x, const float *scale,
                       const uint16_t *zero, float *y);
void nb_dequantize_i32(const nb_quantize_config *config, const int32_t *x, const float *scale,
                       const int32_t *zero, float *y);

typedef struct nb_dynamic_quantize_config {
    int32_t count;
} nb_dynamic_quantize_config;

/* Chooses the scale and the zero point by the least and the largest element, and 0. */
void nb_dynamic_quantize_u8(const nb_dynamic_quantize_config *config, const float *x, uint8_t *y,
                            float *scale, uint8_t *zero);

/* The least and the largest code of a type. */
#define NB_LEAST(TYPE) ((TYPE)-1 < (TYPE)0 ? -128.0f : 0.0f)
#define NB_LARGEST(TYPE) ((TYPE)-1 < (TYPE)0 ? 127.0f : 255.0f)

/* The same of codes of 8 or 16 bits. */
#define NB_LEAST_CODE(TYPE) \
    ((TYPE)-1 < (TYPE)0 ? (sizeof(TYPE) == 1 ? INT8_MIN : INT16_MIN) : 0)
#define NB_LARGEST_CODE(TYPE) (NB_LEAST_CODE(TYPE) + (sizeof(TYPE) == 1 ? UINT8_MAX : UINT16_MAX))

/* Pairs of types of codes of which one at least has 16 bits: those given, those of the result. */
#define NB_MIXED_CODES(DO)         \
    DO(i8i16, int8_t, int16_t)     \
    DO(i16i8, int16_t, int8_t)     \
    DO(i16i16, int16_t, int16_t)   \
    DO(u8u16, uint8_t, uint16_t)   \
    DO(u16u8, uint16_t, uint8_t)   \
    DO(u16u16, uint16_t, uint16_t)

/* A whole number, kept between two limits. */
static inline float nb_within(float whole, float least, float largest)
{
    const float not_low = whole < least ? least : whole;
    return not_low > largest ? largest : not_low;
}

/* The whole number nearest to x, plus the zero point, between two limits; that of NaN is 0. */
static inline int32_t nb_quantized_wide(float x, int32_t zero, int32_t least, int32_t largest)
{
    const float near = nb_rint(x);
    const float low = near < -65536.0f ? -65536.0f : near;
    const float high = low > 65536.0f ? 65536.0f : low;
    const int32_t whole = x == x ? (int32_t)high + zero : 0;
    const int32_t not_low = whole < least ? least : whole;
    return not_low > largest ? largest : not_low;
}

/* The code that stands for x, in steps of the scale and without the zero point. */
#define NB_MIXED_CODE(TYPE, X, ZERO) \
    ((TYPE)nb_quantized_wide(X, ZERO, NB_LEAST_CODE(TYPE), NB_LARGEST_CODE(TYPE)))

/* Cores that round a number to a whole one, and add up to the limit, by one instruction each. */
#if defined(__ARM_FEATURE_DSP) && defined(__ARM_FP) && defined(__GNUC__)
#define NB_HAS_ROUNDING 1
#else
#define NB_HAS_ROUNDING 0
#endif

/* Small cores spend as much on the loop as on an element: four of them in a turn. */
#if NB_HAS_ROUNDING
#define NB_FOUR_A_TURN _Pragma("GCC unroll 4")
#else
#define NB_FOUR_A_TURN
#endif

#if NB_HAS_ROUNDING
#include <arm_acle.h>

/* The whole number nearest to x, to even on ties, plus the zero point, as a code: from -128 to 127,
   or from 0 to 255. */
static inline int32_t nb_rounded(float x, int32_t zero, int is_signed)
{
    float bits;
    int32_t whole;
    __asm__("vcvtr.s32.f32 %0, %1" : "=t"(bits) : "t"(x));
    memcpy(&whole, &bits, sizeof whole);
    whole = __qadd(whole, zero);
    if (is_signed) {
        __asm__("ssat %0, #8, %1" : "=r"(whole) : "r"(whole));
    } else {
        __asm__("usat %0, #8, %1" : "=r"(whole) : "r"(whole));
    }
    return whole;
}
#endif

/* A sum of products as an 8-bit number: rounded to even, and kept between two limits. */
static inline int32_t nb_requantized(int32_t total, float factor, int32_t zero, float least,
                                     float largest)
{
#if NB_HAS_ROUNDING
    (void)largest;
    return nb_rounded((float)total * factor, zero, least < 0.0f);
#else
    return (int32_t)nb_within(nb_rint((float)total * factor) + (float)zero, least, largest);
#endif
}

#endif
