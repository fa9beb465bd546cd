/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_pow: x to the power of y.
 *
 * It is 2^(y log2 x). The logarithm has to be more exact than a float, so it is kept as a pair of
 * floats whose sum is meant: log2 x = e + 2 / ln 2 * atanh((m - 1) / (m + 1)) for x = 2^e m.
 *
 * Source of the method: T. J. Dekker, A Floating-Point Technique for Extending the Available
 * Precision, 1971.
 */
#ifndef NB_POW_H
#define NB_POW_H

#include "nb_exp.h"

typedef struct nb_pair {
    float high;
    float low;
} nb_pair;

/* a + b without an error */
static inline nb_pair nb_exact_sum(float a, float b)
{
    nb_pair sum;
    sum.high = a + b;
    const float other = sum.high - a;
    sum.low = (a - (sum.high - other)) + (b - other);
    return sum;
}

/* a * b without an error */
static inline nb_pair nb_exact_product(float a, float b)
{
    const float wide_a = 4097.0f * a; /* 2^12 + 1: cuts a number into halves of 12 bits */
    const float wide_b = 4097.0f * b;
    const float a_high = wide_a - (wide_a - a);
    const float b_high = wide_b - (wide_b - b);
    const float a_low = a - a_high;
    const float b_low = b - b_high;
    nb_pair product;
    product.high = a * b;
    product.low =
        ((a_high * b_high - product.high) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return product;
}

static inline nb_pair nb_pair_product(nb_pair a, nb_pair b)
{
    const nb_pair product = nb_exact_product(a.high, b.high);
    return nb_exact_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline nb_pair nb_pair_sum(nb_pair a, nb_pair b)
{
    const nb_pair sum = nb_exact_sum(a.high, b.high);
    return nb_exact_sum(sum.high, sum.low + (a.low + b.low));
}

/* log2(x) + 127 - bias for a finite x > 0 that is not subnormal */
static inline nb_pair nb_log2_normal(float x, float bias)
{
    static const nb_pair two_thirds = {0x1.555556p-1f, -0x1.555556p-26f};
    static const nb_pair one_over_ln2 = {0x1.715476p+0f, 0x1.4ae0c0p-26f};
    const uint32_t bits = nb_bits(x);
    const uint32_t biased = (bits + (0x3F800000u - 0x3F3504F3u)) >> 23;
    const float m = nb_from_bits(bits - (biased << 23) + 0x3F800000u);
    const nb_pair e = {(float)(int32_t)biased - bias, 0.0f};
    const float below = m - 1.0f;
    const nb_pair above = nb_exact_sum(m, 1.0f);
    nb_pair s;
    s.high = below / above.high;
    const nb_pair back = nb_exact_product(s.high, above.high);
    s.low = (((below - back.high) - back.low) - s.high * above.low) / above.high;
    const float z = s.high * s.high;
    const float q = (((0x1.745d18p-3f * z + 0x1.c71c72p-3f) * z + 0x1.24924ap-2f) * z
                     + 0x1.99999ap-2f) * z; /* 2/5, 2/7, 2/9, 2/11 */
    const nb_pair factor = nb_pair_sum(two_thirds, (nb_pair){q, 0.0f});
    const nb_pair cube = nb_pair_product(nb_pair_product(s, s), s);
    const nb_pair twice = {s.high + s.high, s.low + s.low};
    const nb_pair ln = nb_pair_sum(twice, nb_pair_product(cube, factor));
    return nb_pair_sum(e, nb_pair_product(ln, one_over_ln2));
}

/* 2^(y log2) for a finite y. Nothing is computed under a condition, so that many can be at once. */
static inline float nb_pow_of(nb_pair log2, float y)
{
    const float not_low = y < -1099511627776.0f ? -1099511627776.0f : y; /* 2^40 */
    const float exponent = not_low > 1099511627776.0f ? 1099511627776.0f : not_low;
    const nb_pair product = nb_exact_product(exponent, log2.high);
    const float high = product.high < -200.0f ? -200.0f : product.high;
    const float power = high > 200.0f ? 200.0f : high;
    const float t = power + NB_ROUNDER;
    const float n = t - NB_ROUNDER;
    const uint32_t is_inside = nb_abs(product.high) < 200.0f ? 0xFFFFFFFFu : 0u;
    const float low = nb_from_bits(nb_bits(product.low + exponent * log2.low) & is_inside);
    const float r = (power - n) + low;
    const uint32_t k = nb_bits(t) - nb_bits(NB_ROUNDER);
    const uint32_t first = ((k + 512u) >> 1) - 256u;
    const float rest = nb_exp_rest(r * 0x1.62e430p-1f) + 1.0f;
    return (rest * nb_power_of_two(first)) * nb_power_of_two(k - first);
}

/* x^y for a finite x > 0 and a finite y */
static inline float nb_pow_positive(float x, float y)
{
    const int is_tiny = x < 1.17549435e-38f;
    return nb_pow_of(nb_log2_normal(is_tiny ? x * 8388608.0f : x, is_tiny ? 150.0f : 127.0f), y);
}

/*
 * x^y as IEEE 754 defines it at its limits: 1 for y = 0 and for x = 1, NaN for a negative x unless
 * y is whole. Powers 1, 2, 3 and -1 are x, x * x, (x * x) * x and 1 / x.
 */
static inline float nb_pow(float x, float y)
{
    const float a = nb_abs(x);
    const float size = nb_abs(y);
    const int is_whole = size >= 8388608.0f || nb_trunc(y) == y;
    const int is_odd = is_whole && size < 16777216.0f && 2.0f * nb_trunc(0.5f * y) != y;
    float result;
    if (y == 0.0f || x == 1.0f) {
        return 1.0f;
    }
    if (x != x || y != y) {
        return NB_NAN;
    }
    if (y == 1.0f) {
        return x;
    }
    if (y == 2.0f) {
        return x * x;
    }
    if (y == 3.0f) {
        return (x * x) * x;
    }
    if (y == -1.0f) {
        return 1.0f / x;
    }
    if (size == NB_INFINITY) {
        if (a == 1.0f) {
            return 1.0f;
        }
        return (a > 1.0f) == (y > 0.0f) ? NB_INFINITY : 0.0f;
    }
    if (a == 0.0f || a == NB_INFINITY) {
        result = (a > 0.0f) == (y > 0.0f) ? NB_INFINITY : 0.0f;
    } else if (x < 0.0f && !is_whole) {
        return NB_NAN;
    } else {
        result = nb_pow_positive(a, y);
    }
    return (x < 0.0f || nb_bits(x) == 0x80000000u) && is_odd ? -result : result;
}

#endif
