/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_lanes: sums of products as codes, four side by side, on cores that have such vectors.
 */
#ifndef NB_LANES_H
#define NB_LANES_H

#include "nb_quantize.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2) && defined(__GNUC__)
#define NB_HAS_LANES 1
#include <arm_mve.h>

/* Whole numbers plus the zero point, as codes of a type. */
static inline int32x4_t nb_codes_of(int32x4_t whole, int32_t zero, int is_signed)
{
    const int32x4_t moved = vqaddq_n_s32(whole, zero);
    const int32x4_t not_low = vmaxq_s32(moved, vdupq_n_s32(is_signed ? -128 : 0));
    return vminq_s32(not_low, vdupq_n_s32(is_signed ? 127 : 255));
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
