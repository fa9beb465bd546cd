/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_dot: sums of products of 8-bit weights and 16-bit data; they are 32-bit and wrap around.
 *
 * Weights lie as the sums read them: two rows side by side, four of each in turn, [2][4], those in
 * the order 0, 2, 1, 3. `depth` is a multiple of four. On a core with instructions for two products
 * at a time these are used; the sums are the same, for they have no order.
 */
#ifndef NB_DOT_H
#define NB_DOT_H

#include "nb_common.h"

#if defined(__ARM_FEATURE_DSP) && defined(__GNUC__)
#include <arm_acle.h>

typedef uint32_t nb_pair __attribute__((may_alias)); /* two 16-bit numbers */

/* Adds two products; the numbers need not lie on a multiple of four bytes. */
static inline uint32_t nb_add_pair(uint32_t sum, const int16_t *x, const int16_t *w)
{
    int16x2_t left;
    int16x2_t right;
    memcpy(&left, x, sizeof left);
    memcpy(&right, w, sizeof right);
    return (uint32_t)__smlad(left, right, (int32_t)sum);
}

/* The bytes 0 and 2 of a word, and 1 and 3, as 16-bit numbers. */
static inline int16x2_t nb_even(nb_pair word)
{
    return __sxtb16((int8x4_t)word);
}

static inline int16x2_t nb_odd(nb_pair word)
{
    int16x2_t pair;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
    return pair;
}

/* Two rows of weights by two columns of data; sums are those of the first row, then the second. */
static inline void nb_dot_2_by_2(const int8_t *w, const int16_t *x, int32_t depth, uint32_t *sums)
{
    const nb_pair *by = (const nb_pair *)(const void *)w;
    const nb_pair *first = (const nb_pair *)(const void *)x;
    const nb_pair *second = (const nb_pair *)(const void *)(x + depth);
    const nb_pair *end = second + depth / 2;
    int32_t a = 0;
    int32_t b = 0;
    int32_t c = 0;
    int32_t d = 0;
#pragma GCC unroll 4
    while (second != end) {
        const nb_pair p = by[0];
        const nb_pair q = by[1];
        const int16x2_t u = (int16x2_t)first[0];
        const int16x2_t v = (int16x2_t)second[0];
        const int16x2_t m = (int16x2_t)first[1];
        const int16x2_t n = (int16x2_t)second[1];
        a = __smlad(nb_even(p), u, a);
        b = __smlad(nb_even(p), v, b);
        c = __smlad(nb_even(q), u, c);
        d = __smlad(nb_even(q), v, d);
        a = __smlad(nb_odd(p), m, a);
        b = __smlad(nb_odd(p), n, b);
        c = __smlad(nb_odd(q), m, c);
        d = __smlad(nb_odd(q), n, d);
        by += 2;
        first += 2;
        second += 2;
    }
    sums[0] = (uint32_t)a;
    sums[1] = (uint32_t)b;
    sums[2] = (uint32_t)c;
    sums[3] = (uint32_t)d;
}

/* Twice two rows of weights by one column of data. */
static inline void nb_dot_4_by_1(const int8_t *w, const int8_t *more, const int16_t *x,
                                 int32_t depth, uint32_t *sums)
{
    const nb_pair *by = (const nb_pair *)(const void *)w;
    const nb_pair *other = (const nb_pair *)(const void *)more;
    const nb_pair *from = (const nb_pair *)(const void *)x;
    const nb_pair *end = from + depth / 2;
    int32_t a = 0;
    int32_t b = 0;
    int32_t c = 0;
    int32_t d = 0;
#pragma GCC unroll 4
    while (from != end) {
        const nb_pair p = by[0];
        const nb_pair q = by[1];
        const nb_pair r = other[0];
        const nb_pair s = other[1];
        const int16x2_t u = (int16x2_t)from[0];
        const int16x2_t v = (int16x2_t)from[1];
        a = __smlad(nb_even(p), u, a);
        b = __smlad(nb_even(q), u, b);
        c = __smlad(nb_even(r), u, c);
        d = __smlad(nb_even(s), u, d);
        a = __smlad(nb_odd(p), v, a);
        b = __smlad(nb_odd(q), v, b);
        c = __smlad(nb_odd(r), v, c);
        d = __smlad(nb_odd(s), v, d);
        by += 2;
        other += 2;
        from += 2;
    }
    sums[0] = (uint32_t)a;
    sums[1] = (uint32_t)b;
    sums[2] = (uint32_t)c;
    sums[3] = (uint32_t)d;
}

#else

/* Two rows of weights by a column of data. */
static inline void nb_dot_2_by_1(const int8_t *w, const int16_t *x, int32_t depth, uint32_t *first,
                                 uint32_t *second)
{
    uint32_t a = 0u;
    uint32_t b = 0u;
    for (int32_t k = 0; k < depth; k += 4) {
        a += (uint32_t)(w[0] * x[0] + w[1] * x[2] + w[2] * x[1] + w[3] * x[3]);
        b += (uint32_t)(w[4] * x[0] + w[5] * x[2] + w[6] * x[1] + w[7] * x[3]);
        w += 8;
        x += 4;
    }
    *first = a;
    *second = b;
}

/* Two rows of weights by two columns of data; sums are those of the first row, then the second. */
static inline void nb_dot_2_by_2(const int8_t *w, const int16_t *x, int32_t depth, uint32_t *sums)
{
    nb_dot_2_by_1(w, x, depth, sums, sums + 2);
    nb_dot_2_by_1(w, x + depth, depth, sums + 1, sums + 3);
}

/* Twice two rows of weights by one column of data. */
static inline void nb_dot_4_by_1(const int8_t *w, const int8_t *more, const int16_t *x,
                                 int32_t depth, uint32_t *sums)
{
    nb_dot_2_by_1(w, x, depth, sums, sums + 1);
    nb_dot_2_by_1(more, x, depth, sums + 2, sums + 3);
}

/* Adds two products. */
static inline uint32_t nb_add_pair(uint32_t sum, const int16_t *x, const int16_t *w)
{
    return sum + (uint32_t)(x[0] * w[0] + x[1] * w[1]);
}
#endif

#endif
