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

#endif
