/* SPDX-License-Identifier: MIT-0 */
#include "nb_quantize.h"

#include "nb_lanes.h"

#if NB_HAS_ROUNDING
/* The same for the limits of 8 bits. */
static inline int32_t nb_quantized(float x, int32_t zero, int32_t least, int32_t largest)
{
    (void)largest;
    return x == x ? nb_rounded(x, zero, least < 0) : 0;
}
#else
#define nb_quantized nb_quantized_wide
#endif

/* Goes over all elements; BODY sees the scale and the zero point of the index. */
#define NB_OVER_SCALES(BODY)                                                      \
    const int32_t inner = config->inner;                                          \
    for (int32_t outer = 0; outer < config->outer; ++outer) {                     \
        for (int32_t index = 0; index < config->size; ++index) {                  \
            const float by = scale[index * config->step];                         \
            const int32_t offset = zero == NULL ? 0 : zero[index * config->step]; \
            NB_FOUR_A_TURN                                                        \
            for (int32_t i = 0; i < inner; ++i) {                                 \
                BODY                                                              \
            }                                                                     \
            x += inner;                                                           \
            y += inner;                                                           \
        }                                                                         \
    }

#define NB_QUANTIZE(SUFFIX, TYPE, CODE, LEAST, LARGEST)                           \
    void nb_quantize_##SUFFIX(const nb_quantize_config *config, const float *x,   \
                              const float *scale, const TYPE *zero, TYPE *y)      \
    {                                                                             \
        NB_OVER_SCALES({ y[i] = (TYPE)CODE(x[i] / by, offset, LEAST, LARGEST); }) \
    }

#if NB_HAS_LANES
/* Four quotients; a vector has no division, but its numbers are those of the scalar registers. */
static inline float32x4_t nb_four_quotients(float32x4_t x, float by)
{
    register float32x4_t four __asm__("q0") = x;
    __asm__("vdiv.f32 s0, s0, %1\n\t"
            "vdiv.f32 s1, s1, %1\n\t"
            "vdiv.f32 s2, s2, %1\n\t"
            "vdiv.f32 s3, s3, %1"
            : "+w"(four)
            : "t"(by));
    return four;
}

/* How many fours of numbers to compute; none where vectors would take the scale for 0. */
static inline int32_t nb_fours(int32_t count, float by)
{
    return nb_abs(by) < 1.17549435e-38f ? 0 : count >> 2;
}

/* Goes over all elements, four at a time, and those that are left one by one. */
#define NB_OVER_FOURS(FOUR, ONE)                                                  \
    for (int32_t outer = 0; outer < config->outer; ++outer) {                     \
        for (int32_t index = 0; index < config->size; ++index) {                  \
            const float by = scale[index * config->step];                         \
            const int32_t offset = zero == NULL ? 0 : zero[index * config->step]; \
            const int32_t all = nb_fours(config->inner, by);                      \
            for (int32_t fours = all; fours > 0; --fours) {                       \
                FOUR                                                              \
                x += 4;                                                           \
                y += 4;                                                           \
            }                                                                     \
            for (int32_t left = config->inner - 4 * all; left > 0; --left) {      \
                ONE                                                               \
                ++x;                                                              \
                ++y;                                                              \
            }                                                                     \
        }                                                                         \
    }

#define NB_QUANTIZE_FOURS(SUFFIX, TYPE)                                                           \
    void nb_quantize_##SUFFIX(const nb_quantize_config *config, const float *x,                   \
                              const float *scale, const TYPE *zero, TYPE *y)                      \
    {                                                                                             \
        NB_OVER_FOURS(                                                                            \
            {                                                                                     \
                const float32x4_t found = vldrwq_f32(x);                                          \
                const int32x4_t whole = vcvtnq_s32_f32(nb_four_quotients(found, by));             \
                const int32x4_t codes = nb_codes_of(whole, offset, (TYPE)-1 < (TYPE)0);           \
                const mve_pred16_t known = vcmpeqq_f32(found, found);                             \
                vstrbq_s32((int8_t *)y, vpselq_s32(codes, vdupq_n_s32(0), known));                \
            },                                                                                    \
            { *y = (TYPE)nb_quantized(*x / by, offset, (TYPE)-1 < (TYPE)0 ? INT8_MIN : 0, 0); })  \
    }

NB_QUANTIZE_FOURS(i8, int8_t)
NB_QUANTIZE_FOURS(u8, uint8_t)
#else
NB_QUANTIZE(i8, int8_t, nb_quantized, INT8_MIN, INT8_MAX)
NB_QUANTIZE(u8, uint8_t, nb_quantized, 0, UINT8_MAX)
#endif
NB_QUANTIZE(i16, int16_t, nb_quantized_wide, INT16_MIN, INT16_MAX)
NB_QUANTIZE(u16, uint16_t, nb_quantized_wide, 0, UINT16_MAX)

#define NB_DEQUANTIZE(SUFFIX, TYPE, WIDE)                                        \
    void nb_dequantize_##SUFFIX(const nb_quantize_config *config, const TYPE *x, \
                                const float *scale, const TYPE *zero, float *y)  \
    {                                                                            \
        NB_OVER_SCALES({ y[i] = (float)((WIDE)x[i] - (WIDE)offset) * by; })      \
    }

#if NB_HAS_LANES
#define NB_DEQUANTIZE_FOURS(SUFFIX, TYPE, LOAD)                                      \
    void nb_dequantize_##SUFFIX(const nb_quantize_config *config, const TYPE *x,     \
                                const float *scale, const TYPE *zero, float *y)      \
    {                                                                                \
        NB_OVER_FOURS(                                                               \
            {                                                                        \
                const int32x4_t found = LOAD;                                        \
                const float32x4_t whole = vcvtq_f32_s32(vsubq_n_s32(found, offset)); \
                vstrwq_f32(y, vmulq_n_f32(whole, by));                               \
            },                                                                       \
            { *y = (float)(*x - offset) * by; })                                     \
    }

NB_DEQUANTIZE_FOURS(i8, int8_t, vldrbq_s32(x))
NB_DEQUANTIZE_FOURS(u8, uint8_t, vreinterpretq_s32_u32(vldrbq_u32(x)))
#else
NB_DEQUANTIZE(i8, int8_t, int32_t)
NB_DEQUANTIZE(u8, uint8_t, int32_t)
#endif
NB_DEQUANTIZE(i16, int16_t, int32_t)
NB_DEQUANTIZE(u16, uint16_t, int32_t)
NB_DEQUANTIZE(i32, int32_t, int64_t)

void nb_dynamic_quantize_u8(const nb_dynamic_quantize_config *config, const float *x, uint8_t *y,
                            float *scale, uint8_t *zero)
{
    float least = 0.0f;
    float largest = 0.0f;
    for (int32_t i = 0; i < config->count; ++i) {
        least = nb_min(least, x[i]);
        largest = nb_max(largest, x[i]);
    }
    *scale = (largest - least) / 255.0f;
    if (*scale == 0.0f) {
        *scale = 1.0f;
    }
    *zero = (uint8_t)nb_quantized(-least / *scale, 0, 0, UINT8_MAX);
    for (int32_t i = 0; i < config->count; ++i) {
        y[i] = (uint8_t)nb_quantized(x[i] / *scale, *zero, 0, UINT8_MAX);
    }
}
