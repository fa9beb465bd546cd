/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_add_pair: two products of 16-bit numbers, added to a sum of 32 bits that wraps around.
 */
#ifndef NB_ADD_PAIR_H
#define NB_ADD_PAIR_H

#include "nb_common.h"

#if defined(__ARM_FEATURE_DSP) && defined(__GNUC__)
#include <arm_acle.h>

/* Adds two products; the numbers need not lie on a multiple of four bytes. */
static inline uint32_t nb_add_pair(uint32_t sum, const int16_t *x, const int16_t *w)
{
    int16x2_t left;
    int16x2_t right;
    memcpy(&left, x, sizeof left);
    memcpy(&right, w, sizeof right);
    return (uint32_t)__smlad(left, right, (int32_t)sum);
}

#else

/* Adds two products. */
static inline uint32_t nb_add_pair(uint32_t sum, const int16_t *x, const int16_t *w)
{
    return sum + (uint32_t)(x[0] * w[0] + x[1] * w[1]);
}
#endif

#endif
