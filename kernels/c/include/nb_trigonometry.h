/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_trigonometry: sine, cosine, tangent and their inverses; angles are in radians.
 *
 * An angle is reduced to at most pi / 4 in whole numbers: x is a 24-bit number m times 2^e, and
 * those bits of 2 / pi that matter for it are multiplied by m. So large angles are as exact as
 * small ones. Polynomials, minimax fits of our own, give the functions there.
 *
 * Source of the method: M. Payne and R. Hanek, Radian Reduction for Trigonometric Functions, 1983.
 */
#ifndef NB_TRIGONOMETRY_H
#define NB_TRIGONOMETRY_H

#include "nb_float.h"

#define NB_HALF_PI 0x1.921fb6p+0f
#define NB_HALF_PI_REST -0x1.777a5cp-25f /* pi / 2 - NB_HALF_PI */

typedef struct nb_angle {
    uint32_t quadrant; /* 0 to 3 */
    float rest;        /* within pi / 4 of 0 */
} nb_angle;

/* Splits |x| into quadrant * pi / 2 + rest. */
static inline nb_angle nb_reduce(float x)
{
    static const uint32_t two_over_pi[8] = {
        0x00000000u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
        0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu,
    };
    const uint32_t bits = nb_bits(x) & 0x7FFFFFFFu;
    nb_angle angle = {0u, 0.0f};
    if (bits >= 0x7F800000u) {
        angle.rest = NB_NAN;
        return angle;
    }
    if (bits < 0x3F490FDBu) { /* below pi / 4 */
        angle.rest = nb_from_bits(bits);
        return angle;
    }
    const uint64_t m = (bits & 0x007FFFFFu) | 0x00800000u;
    const uint32_t skipped = (bits >> 23) - 120u; /* bits that stand for whole turns; 6 to 134 */
    const uint32_t word = skipped >> 5;
    const uint32_t shift = skipped & 31u;
    uint32_t part[3];
    for (uint32_t i = 0u; i < 3u; ++i) {
        const uint64_t pair = ((uint64_t)two_over_pi[word + i] << 32) | two_over_pi[word + i + 1u];
        part[i] = (uint32_t)((pair << shift) >> 32);
    }
    const uint64_t turn = ((m * part[0]) << 32) + m * part[1] + ((m * part[2]) >> 32);
    angle.quadrant = (uint32_t)((turn + (UINT64_C(1) << 61)) >> 62) & 3u;
    const uint64_t rest = turn << 2; /* of a quadrant, in 2^-64; above a half it is negative */
    const int is_negative = (rest >> 63) != 0u;
    const uint64_t size = is_negative ? UINT64_C(0) - rest : rest;
    const float high = (float)(size & UINT64_C(0xFFFFFF0000000000));
    const float low = (float)(size & UINT64_C(0x000000FFFFFFFFFF));
    const float quarter = 5.42101086242752217e-20f; /* 2^-64 */
    const float a = (high + low) * quarter;
    const float lost = ((high - (high + low)) + low) * quarter;
    const float product = a * NB_HALF_PI + (lost * NB_HALF_PI + a * NB_HALF_PI_REST);
    angle.rest = is_negative ? -product : product;
    return angle;
}

/* sin(r) for |r| <= pi / 4 */
static inline float nb_sin_rest(float r)
{
    const float z = r * r;
    float p = 0x1.7c2da4p-19f;
    p = p * z + -0x1.a05956p-13f;
    p = p * z + 0x1.111174p-7f;
    p = p * z + -0x1.555556p-3f;
    return (p * z) * r + r;
}

/* cos(r) for |r| <= pi / 4 */
static inline float nb_cos_rest(float r)
{
    const float z = r * r;
    float p = 0x1.99e80cp-16f;
    p = p * z + -0x1.6c0c28p-10f;
    p = p * z + 0x1.55554ap-5f;
    const float half = 0.5f * z;
    const float w = 1.0f - half;
    return w + (((1.0f - w) - half) + (z * z) * p);
}

/* tan(r) for |r| <= pi / 4 */
static inline float nb_tan_rest(float r)
{
    const float z = r * r;
    float p = 0x1.1e8deep-8f;
    p = p * z + 0x1.9d8f0cp-14f;
    p = p * z + 0x1.62c982p-7f;
    p = p * z + 0x1.5cc106p-6f;
    p = p * z + 0x1.bad9c0p-5f;
    p = p * z + 0x1.110d9ep-3f;
    p = p * z + 0x1.555560p-2f;
    return (p * z) * r + r;
}

static inline float nb_sin(float x)
{
    const nb_angle angle = nb_reduce(x);
    const float y = (angle.quadrant & 1u) != 0u ? nb_cos_rest(angle.rest) : nb_sin_rest(angle.rest);
    const float above = (angle.quadrant & 2u) != 0u ? -y : y;
    return (nb_bits(x) >> 31) != 0u ? -above : above;
}

static inline float nb_cos(float x)
{
    const nb_angle angle = nb_reduce(x);
    const float y = (angle.quadrant & 1u) != 0u ? nb_sin_rest(angle.rest) : nb_cos_rest(angle.rest);
    return ((angle.quadrant + 1u) & 2u) != 0u ? -y : y;
}

static inline float nb_tan(float x)
{
    const nb_angle angle = nb_reduce(x);
    const float t = nb_tan_rest(angle.rest);
    const float above = (angle.quadrant & 1u) != 0u ? -1.0f / t : t;
    return (nb_bits(x) >> 31) != 0u ? -above : above;
}

/* asin(x) for |x| <= 1 / 2 */
static inline float nb_asin_rest(float x)
{
    const float z = x * x;
    float p = 0x1.34d062p-5f;
    p = p * z + 0x1.d51124p-7f;
    p = p * z + 0x1.04d36cp-5f;
    p = p * z + 0x1.6ca750p-5f;
    p = p * z + 0x1.3338acp-4f;
    p = p * z + 0x1.55554cp-3f;
    return (p * z) * x + x;
}

/* asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)) above 1 / 2 */
static inline float nb_asin(float x)
{
    const float a = nb_abs(x);
    const float root = nb_sqrt(0.5f * (1.0f - a));
    const float large = NB_HALF_PI - (2.0f * nb_asin_rest(root) - NB_HALF_PI_REST);
    return nb_copysign(a < 0.5f ? nb_asin_rest(a) : large, x);
}

static inline float nb_acos(float x)
{
    const float a = nb_abs(x);
    const float twice = 2.0f * nb_asin_rest(nb_sqrt(0.5f * (1.0f - a)));
    const float below = 2.0f * NB_HALF_PI - (twice - 2.0f * NB_HALF_PI_REST);
    const float large = x < 0.0f ? below : twice;
    const float small = NB_HALF_PI - (nb_asin_rest(x) - NB_HALF_PI_REST);
    return a < 0.5f ? small : large;
}

/* atan(x) = pi / 2 - atan(1 / x) above 1, pi / 4 - atan((1 - x) / (1 + x)) above tan(pi / 8) */
static inline float nb_atan(float x)
{
    const float a = nb_abs(x);
    const int is_steep = a > 1.0f;
    const float b = is_steep ? 1.0f / a : a;
    const int is_middle = b > 0x1.a8279ap-2f;
    const float c = is_middle ? (b - 1.0f) / (b + 1.0f) : b;
    const float z = c * c;
    float p = -0x1.f2e5aap-5f;
    p = p * z + 0x1.b22456p-4f;
    p = p * z + -0x1.23b9a2p-3f;
    p = p * z + 0x1.9991e2p-3f;
    p = p * z + -0x1.55554ap-2f;
    const float rest = (p * z) * c;
    const float flat = is_middle ? 0.5f * NB_HALF_PI + ((rest + 0.5f * NB_HALF_PI_REST) + c)
                                 : rest + c;
    const float steep = NB_HALF_PI - (flat - NB_HALF_PI_REST);
    return nb_copysign(is_steep ? steep : flat, x);
}

#endif
