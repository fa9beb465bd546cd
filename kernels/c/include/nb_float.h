/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_float: the bits of float numbers, and functions that are exact: rounding to whole numbers,
 * square root, the larger and the smaller of two.
 */
#ifndef NB_FLOAT_H
#define NB_FLOAT_H

#include "nb_common.h"

#define NB_INFINITY (nb_from_bits(0x7F800000u))
#define NB_NAN (nb_from_bits(0x7FC00000u))

static inline uint32_t nb_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float nb_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float nb_abs(float x)
{
    return nb_from_bits(nb_bits(x) & 0x7FFFFFFFu);
}

static inline float nb_copysign(float magnitude, float sign)
{
    return nb_from_bits((nb_bits(magnitude) & 0x7FFFFFFFu) | (nb_bits(sign) & 0x80000000u));
}

/* The larger one; NaN if one is NaN; the first one if they are equal (-0 and +0 are). */
static inline float nb_max(float a, float b)
{
    const float larger = a < b ? b : a;
    return b != b ? b : larger;
}

/* The smaller one; NaN if one is NaN; the first one if they are equal. */
static inline float nb_min(float a, float b)
{
    const float smaller = a > b ? b : a;
    return b != b ? b : smaller;
}

/* To the nearest whole number, to even on ties; it has the sign of x. */
static inline float nb_rint(float x)
{
    const float magnitude = nb_abs(x);
    const float whole = (magnitude + 8388608.0f) - 8388608.0f; /* 2^23: no fraction is left */
    return nb_copysign(magnitude < 8388608.0f ? whole : magnitude, x);
}

/* Towards zero; it has the sign of x. */
static inline float nb_trunc(float x)
{
    const float magnitude = nb_abs(x);
    const float near = nb_abs(nb_rint(magnitude));
    return nb_copysign(near > magnitude ? near - 1.0f : near, x);
}

static inline float nb_floor(float x)
{
    const float near = nb_rint(x);
    return nb_copysign(near > x ? near - 1.0f : near, x);
}

static inline float nb_ceil(float x)
{
    const float near = nb_rint(x);
    return nb_copysign(near < x ? near + 1.0f : near, x);
}

/*
 * The square root, correctly rounded as IEEE 754 asks for. An estimate by Newton's method, which
 * is off by one at most, is compared with the root in whole numbers: root * root = m * 2^23.
 */
static inline float nb_sqrt(float x)
{
    const int is_tiny = x < 1.17549435e-38f;             /* subnormal: scaled by 2^24 */
    const uint32_t bits = nb_bits(is_tiny ? x * 16777216.0f : x);
    const uint32_t odd = 1u - ((bits >> 23) & 1u);       /* the exponent without its bias is odd */
    const uint32_t mantissa = (bits & 0x007FFFFFu) | 0x00800000u;
    const float v = nb_from_bits((bits & 0x007FFFFFu) | ((127u + odd) << 23)); /* in [1, 4) */
    float y = nb_from_bits(0x1FBD1DF5u + (nb_bits(v) >> 1));
    y = 0.5f * (y + v / y);
    y = 0.5f * (y + v / y);
    y = 0.5f * (y + v / y);
    const uint64_t square = (uint64_t)mantissa << (25u + odd); /* 4 * root * root */
    const uint32_t fraction = nb_bits(y) - 0x3F800000u;        /* (y - 1) * 2^23 */
    const uint64_t twice = 2u * (uint64_t)(fraction + 0x00800000u);
    const uint32_t up = square > (twice + 1u) * (twice + 1u) ? 1u : 0u;
    const uint32_t down = square < (twice - 1u) * (twice - 1u) ? 1u : 0u;
    const uint32_t half = ((bits >> 23) + 127u - odd) >> 1; /* biased exponent of the root */
    const uint32_t root = fraction + (half << 23) + up - down;
    const float found = is_tiny ? nb_from_bits(root) * 0.000244140625f : nb_from_bits(root);
    const float special = x < 0.0f ? NB_NAN : x; /* of 0, -0, infinity and NaN */
    return (x > 0.0f && x < NB_INFINITY) ? found : special;
}

#endif
