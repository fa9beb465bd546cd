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

/* Four terms of two rows of weights by two columns of data. */
#define NB_STEP_2_BY_2                                                                            \
    __asm__("ldrd %[p], %[q], [%[w]], #8\n\t"                                                     \
            "ldrd %[u], %[v], [%[one]], #8\n\t"                                                   \
            "sxtb16 %[s], %[p]\n\t"                                                               \
            "sxtb16 %[t], %[q]\n\t"                                                               \
            "smlad %[a], %[s], %[u], %[a]\n\t"                                                    \
            "smlad %[c], %[t], %[u], %[c]\n\t"                                                    \
            "ldr %[u], [%[two]], #4\n\t"                                                          \
            "sxtb16 %[p], %[p], ror #8\n\t"                                                       \
            "sxtb16 %[q], %[q], ror #8\n\t"                                                       \
            "smlad %[b], %[s], %[u], %[b]\n\t"                                                    \
            "smlad %[d], %[t], %[u], %[d]\n\t"                                                    \
            "ldr %[u], [%[two]], #4\n\t"                                                          \
            "smlad %[a], %[p], %[v], %[a]\n\t"                                                    \
            "smlad %[c], %[q], %[v], %[c]\n\t"                                                    \
            "smlad %[b], %[p], %[u], %[b]\n\t"                                                    \
            "smlad %[d], %[q], %[u], %[d]"                                                        \
            : [w] "+r"(w), [one] "+r"(x), [two] "+r"(two), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), \
              [d] "+r"(d), [p] "=&r"(p), [q] "=&r"(q), [u] "=&r"(u), [v] "=&r"(v), [s] "=&r"(s),  \
              [t] "=&r"(t)                                                                        \
            :                                                                                     \
            : "memory");

/* Four terms of twice two rows of weights by one column of data. */
#define NB_STEP_4_BY_1                                                                            \
    __asm__("ldrd %[u], %[v], [%[x]], #8\n\t"                                                     \
            "ldrd %[p], %[q], [%[w]], #8\n\t"                                                     \
            "sxtb16 %[t], %[p]\n\t"                                                               \
            "sxtb16 %[p], %[p], ror #8\n\t"                                                       \
            "smlad %[a], %[t], %[u], %[a]\n\t"                                                    \
            "sxtb16 %[t], %[q]\n\t"                                                               \
            "smlad %[a], %[p], %[v], %[a]\n\t"                                                    \
            "sxtb16 %[q], %[q], ror #8\n\t"                                                       \
            "smlad %[b], %[t], %[u], %[b]\n\t"                                                    \
            "smlad %[b], %[q], %[v], %[b]\n\t"                                                    \
            "ldrd %[p], %[q], [%[more]], #8\n\t"                                                  \
            "sxtb16 %[t], %[p]\n\t"                                                               \
            "sxtb16 %[p], %[p], ror #8\n\t"                                                       \
            "smlad %[c], %[t], %[u], %[c]\n\t"                                                    \
            "sxtb16 %[t], %[q]\n\t"                                                               \
            "smlad %[c], %[p], %[v], %[c]\n\t"                                                    \
            "sxtb16 %[q], %[q], ror #8\n\t"                                                       \
            "smlad %[d], %[t], %[u], %[d]\n\t"                                                    \
            "smlad %[d], %[q], %[v], %[d]"                                                        \
            : [x] "+r"(x), [w] "+r"(w), [more] "+r"(more), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), \
              [d] "+r"(d), [p] "=&r"(p), [q] "=&r"(q), [u] "=&r"(u), [v] "=&r"(v),                \
              [t] "=&r"(t)                                                                        \
            :                                                                                     \
            : "memory");

/* Functions of their own, so that what they need fits the registers. */
#define NB_APART __attribute__((noinline))

/* Two rows of weights by two columns of data; sums are those of the first row, then the second. */
NB_APART static void nb_dot_2_by_2(const int8_t *w, const int16_t *x, int32_t depth,
                                   uint32_t *sums)
{
    const int16_t *two = x + depth;
    const int8_t *end = w + 2 * (ptrdiff_t)depth;
    const int8_t *long_end = w + (ptrdiff_t)(depth / 16) * 32;
    uint32_t a = 0u;
    uint32_t b = 0u;
    uint32_t c = 0u;
    uint32_t d = 0u;
    uint32_t p;
    uint32_t q;
    uint32_t s;
    uint32_t t;
    uint32_t u;
    uint32_t v;
    while (w != long_end) {
        NB_STEP_2_BY_2
        NB_STEP_2_BY_2
        NB_STEP_2_BY_2
        NB_STEP_2_BY_2
    }
    while (w != end) {
        NB_STEP_2_BY_2
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
}

/* Twice two rows of weights by one column of data. */
NB_APART static void nb_dot_4_by_1(const int8_t *w, const int8_t *more, const int16_t *x,
                                   int32_t depth, uint32_t *sums)
{
    const int16_t *end = x + depth;
    const int16_t *long_end = x + depth / 16 * 16;
    uint32_t a = 0u;
    uint32_t b = 0u;
    uint32_t c = 0u;
    uint32_t d = 0u;
    uint32_t p;
    uint32_t q;
    uint32_t t;
    uint32_t u;
    uint32_t v;
    while (x != long_end) {
        NB_STEP_4_BY_1
        NB_STEP_4_BY_1
        NB_STEP_4_BY_1
        NB_STEP_4_BY_1
    }
    while (x != end) {
        NB_STEP_4_BY_1
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
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
#endif

#endif
