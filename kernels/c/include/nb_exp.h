/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_exp: the exponential function and what follows from it.
 *
 * x = n ln 2 + r with a whole n and |r| <= ln 2 / 2, so that exp(x) = 2^n exp(r); a polynomial
 * gives exp(r). No branch, so that loops over elements can be vectorized.
 *
 * Source of the method: W. J. Cody and W. Waite, Software Manual for the Elementary Functions,
 * 1980, chapter 6. The coefficients are minimax fits of our own.
 */
#ifndef NB_EXP_H
#define NB_EXP_H

#include "nb_float.h"

#define NB_ROUNDER 12582912.0f /* 1.5 * 2^23: adding it leaves a whole number in the low bits */

/* Polynomials by Horner's rule, of a number or of a vector; the highest power comes first. */
#define NB_HORNER5(X, A, B, C, D, E) (((((A) * (X) + (B)) * (X) + (C)) * (X) + (D)) * (X) + (E))
#define NB_EXP_POLYNOMIAL(R) \
    NB_HORNER5(R, 0x1.6a4f88p-10f, 0x1.123988p-7f, 0x1.5558aep-5f, 0x1.555492p-3f, 0x1.fffffcp-2f)
#define NB_TANH_POLYNOMIAL(Z)                                                            \
    NB_HORNER5(Z, -0x1.750ce4p-8f, 0x1.51f8cep-6f, -0x1.b835a4p-5f, 0x1.1106f6p-3f,      \
               -0x1.555532p-2f)

/* exp(r) - 1 for |r| <= 0.35 */
static inline float nb_exp_rest(float r)
{
    return (r * r) * NB_EXP_POLYNOMIAL(r) + r;
}

/* 2^n for a whole n in [-126, 127], as a two's complement number */
static inline float nb_power_of_two(uint32_t n)
{
    return nb_from_bits((n + 127u) << 23);
}

/* exp(x) * 2^shift, for a shift of -1, 0 or 1 */
static inline float nb_exp_scaled(float x, uint32_t shift)
{
    const float not_low = x < -106.0f ? -106.0f : x;
    const float v = not_low > 91.0f ? 91.0f : not_low;
    const float t = v * 0x1.715476p+0f + NB_ROUNDER;
    const float n = t - NB_ROUNDER;
    const float r = (v - n * 0.693359375f) - n * -0x1.bd0106p-13f;
    const uint32_t k = nb_bits(t) - nb_bits(NB_ROUNDER) + shift;
    const uint32_t first = ((k + 512u) >> 1) - 256u; /* k / 2: 2^k itself can be out of range */
    return ((nb_exp_rest(r) + 1.0f) * nb_power_of_two(first)) * nb_power_of_two(k - first);
}

static inline float nb_exp(float x)
{
    return nb_exp_scaled(x, 0u);
}

/* exp(x) - 1 */
static inline float nb_expm1(float x)
{
    const float not_low = x < -18.0f ? -18.0f : x; /* -1 from there on */
    const float v = not_low > 91.0f ? 91.0f : not_low;
    const float t = v * 0x1.715476p+0f + NB_ROUNDER;
    const float n = t - NB_ROUNDER;
    const float r = (v - n * 0.693359375f) - n * -0x1.bd0106p-13f;
    const uint32_t k = nb_bits(t) - nb_bits(NB_ROUNDER);
    const uint32_t first = ((k + 512u) >> 1) - 256u;
    const float a = nb_power_of_two(first);
    const float b = nb_power_of_two(k - first);
    const float y = (nb_exp_rest(r) * a) * b + (a * b - 1.0f);
    const float large = ((nb_exp_rest(r) + 1.0f) * a) * b; /* a * b may be infinite */
    const float found = n > 100.0f ? large : y;
    return n == 0.0f ? nb_copysign(nb_exp_rest(x), x) : found;
}

/* 1 / (1 + exp(-x)) */
static inline float nb_sigmoid(float x)
{
    const float e = nb_exp(-nb_abs(x));
    const float above = x >= 0.0f ? 1.0f : e;
    return above / (1.0f + e);
}

static inline float nb_tanh(float x)
{
    const float magnitude = nb_abs(x);
    const float z = x * x;
    const float small = (NB_TANH_POLYNOMIAL(z) * z) * x + x;
    const float large = 1.0f - 2.0f / (nb_exp(magnitude + magnitude) + 1.0f);
    return nb_copysign(magnitude < 0.625f ? small : large, x);
}

/* (exp(x) - exp(-x)) / 2 */
static inline float nb_sinh(float x)
{
    const float magnitude = nb_abs(x);
    const float e = nb_expm1(magnitude);
    const float small = 0.5f * (e + e / (e + 1.0f));
    const float large = nb_exp_scaled(magnitude, 0xFFFFFFFFu);
    return nb_copysign(magnitude < 20.0f ? small : large, x);
}

/* (exp(x) + exp(-x)) / 2 */
static inline float nb_cosh(float x)
{
    const float e = nb_exp_scaled(nb_abs(x), 0xFFFFFFFFu);
    return e + 0.25f / e;
}

#endif
