/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_log: the natural logarithm and what follows from it.
 *
 * x = 2^e m with m between sqrt(1/2) and sqrt(2), so that ln x = e ln 2 + ln m; a polynomial gives
 * ln m. The coefficients are minimax fits of our own.
 */
#ifndef NB_LOG_H
#define NB_LOG_H

#include "nb_exp.h"

#define NB_LOG_HIGH(F) \
    NB_HORNER5(F, 0x1.147962p-4f, -0x1.de0d26p-4f, 0x1.e6c372p-4f, -0x1.fc278ap-4f, 0x1.233b62p-3f)
#define NB_LOG_POLYNOMIAL(F)                                                              \
    ((((NB_LOG_HIGH(F) * (F) + -0x1.555c48p-3f) * (F) + 0x1.99a478p-3f) * (F) +           \
      -0x1.000006p-2f) * (F) + 0x1.555548p-2f)

static inline float nb_log(float x)
{
    const int is_tiny = x < 1.17549435e-38f; /* subnormal: scaled by 2^23 */
    const uint32_t bits = nb_bits(is_tiny ? x * 8388608.0f : x);
    const uint32_t biased = (bits + (0x3F800000u - 0x3F3504F3u)) >> 23;
    const float f = nb_from_bits(bits - (biased << 23) + 0x3F800000u) - 1.0f;
    const float e = (float)(int32_t)biased - (is_tiny ? 150.0f : 127.0f);
    const float z = f * f;
    const float rest = ((f * z) * NB_LOG_POLYNOMIAL(f) + e * -0x1.bd0106p-13f) - 0.5f * z;
    const float found = (f + rest) + e * 0.693359375f;
    const float of_zero = x == 0.0f ? -NB_INFINITY : NB_NAN;
    const float special = x > 0.0f ? x : of_zero;
    return (x > 0.0f && x < NB_INFINITY) ? found : special;
}

/* ln(1 + x) */
static inline float nb_log1p(float x)
{
    const float sum = 1.0f + x;
    const float lost = x - (sum - 1.0f);
    const float found = nb_log(sum) + lost / sum;
    return (sum > 0.0f && sum < NB_INFINITY) ? found : nb_log(sum);
}

/* ln(x + sqrt(x * x + 1)) */
static inline float nb_asinh(float x)
{
    const float a = nb_abs(x);
    const float square = a * a;
    const float small = nb_log1p(a + square / (1.0f + nb_sqrt(square + 1.0f)));
    const float large = nb_log(a) + 0x1.62e430p-1f;
    return nb_copysign(a < 1048576.0f ? small : large, x);
}

/* ln(x + sqrt(x * x - 1)) */
static inline float nb_acosh(float x)
{
    const float t = x - 1.0f;
    const float small = nb_log1p(t + nb_sqrt(2.0f * t + t * t));
    const float large = nb_log(x) + 0x1.62e430p-1f;
    const float found = x < 1048576.0f ? small : large;
    return x < 1.0f ? NB_NAN : found;
}

/* ln((1 + x) / (1 - x)) / 2 */
static inline float nb_atanh(float x)
{
    const float a = nb_abs(x);
    return nb_copysign(0.5f * nb_log1p((a + a) / (1.0f - a)), x);
}

/* ln(1 + exp(x)) */
static inline float nb_softplus(float x)
{
    const float positive = x < 0.0f ? 0.0f : x;
    return positive + nb_log1p(nb_exp(-nb_abs(x)));
}

#endif
