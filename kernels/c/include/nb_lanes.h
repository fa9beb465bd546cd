/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_lanes: sums of products as codes, four side by side, on cores that have such vectors.
 */
#ifndef NB_LANES_H
#define NB_LANES_H

#include "nb_quantize.h"
#include "nb_rescale.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2) && defined(__GNUC__)
#define NB_HAS_LANES 1
#include <arm_mve.h>

/* Whole numbers plus the zero point, between two codes. */
static inline int32x4_t nb_codes_between(int32x4_t whole, nb_ends ends)
{
    const int32x4_t moved = vqaddq_n_s32(whole, ends.zero);
    const int32x4_t not_low = vmaxq_s32(moved, vdupq_n_s32(ends.least));
    return vminq_s32(not_low, vdupq_n_s32(ends.most));
}

/* The same as codes of a type. */
static inline int32x4_t nb_codes_of(int32x4_t whole, int32_t zero, int is_signed)
{
    const nb_ends ends = {zero, is_signed ? -128 : 0, is_signed ? 127 : 255};
    return nb_codes_between(whole, ends);
}

/* nb_rescaled of four numbers. */
static inline int32x4_t nb_rescaled_lanes(int32x4_t x, int32x4_t multiplier, int32x4_t shift)
{
    const int32x4_t zero = vdupq_n_s32(0);
    const int32x4_t up = vqshlq_s32(x, vmaxq_s32(shift, zero));
    const int32x4_t down = vminq_s32(shift, zero);
    const int32x4_t high = vqrdmulhq_s32(up, multiplier);
    const int32x4_t less = vshrq_n_s32(vandq_s32(high, down), 31); /* halves go away from zero */
    return vrshlq_s32(vqaddq_s32(high, less), down);
}

/* The codes of sums; they are rounded to even. */
static inline int32x4_t nb_codes_of_sums(int32x4_t sums, float32x4_t factor, int32_t zero,
                                         int is_signed)
{
    const float32x4_t scaled = vmulq_f32(vcvtq_f32_s32(sums), factor);
    return nb_codes_of(vcvtnq_s32_f32(scaled), zero, is_signed);
}
#else
#define NB_HAS_LANES 0
#endif

#if NB_HAS_LANES
/* Copies a column of numbers that lie side by side. */
static inline void nb_put_all(const uint8_t *x, int32_t count, uint8_t flip, uint8_t *to)
{
    const uint8x16_t flips = vdupq_n_u8(flip);
    while (count > 0) {
        const mve_pred16_t p = vctp8q((uint32_t)count);
        vstrbq_p_u8(to, veorq_u8(vldrbq_z_u8(x, p), flips), p);
        x += 16;
        to += 16;
        count -= 16;
    }
}
#else
static inline void nb_put_all(const uint8_t *x, int32_t count, uint8_t flip, uint8_t *to)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = x[i] ^ flip;
    }
}
#endif

#endif
