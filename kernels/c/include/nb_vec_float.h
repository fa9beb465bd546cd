/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_vec_float: bits of vectors, choices between them lane by lane, square roots.
 */
#ifndef NB_VEC_FLOAT_H
#define NB_VEC_FLOAT_H

#include "nb_float.h"
#include "nb_subnormal.h"
#include "nb_vec.h"

#if NB_VL == 16 && defined(__AVX512F__)
#define NB_HAS_AVX512 1
#else
#define NB_HAS_AVX512 0
#endif

/*
 * NB_WHERE_LESS and NB_WHERE_SAME: YES in the lanes where A < B, or A == B, else NO. NB_WITH_SIGN:
 * a magnitude with the sign of another vector.
 */
#if NB_VL == 1
typedef uint32_t nb_uvec;
#define NB_WHERE_LESS(A, B, YES, NO) ((A) < (B) ? (YES) : (NO))
#define NB_WHERE_SAME(A, B, YES, NO) ((A) == (B) ? (YES) : (NO))
#define NB_WITH_SIGN(X, SIGN) nb_copysign(X, SIGN)
#else
typedef uint32_t nb_uvec __attribute__((vector_size(4 * NB_VL)));
#define NB_WITH_SIGN(X, SIGN) \
    ((nb_vec)(((nb_uvec)(X) & 0x7FFFFFFFu) | ((nb_uvec)(SIGN) & 0x80000000u)))
#if NB_HAS_AVX512
#define NB_CHOICE(NAME, WORD)                                                                   \
    static inline nb_vec NAME(nb_vec a, nb_vec b, nb_vec yes, nb_vec no)                        \
    {                                                                                           \
        nb_vec found;                                                                           \
        uint16_t mask;                                                                          \
        __asm__(WORD " %2, %1, %0" : "=Yk"(mask) : "v"(a), "v"(b));                             \
        __asm__("vblendmps %2, %1, %0%{%3%}" : "=v"(found) : "v"(no), "v"(yes), "Yk"(mask));    \
        return found;                                                                           \
    }
NB_CHOICE(nb_where_less, "vcmpltps")
NB_CHOICE(nb_where_same, "vcmpeqps")
#define NB_WHERE_LESS(A, B, YES, NO) nb_where_less(A, B, YES, NO)
#define NB_WHERE_SAME(A, B, YES, NO) nb_where_same(A, B, YES, NO)
#elif NB_VL == 4 && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define NB_CHOICE(MASK, YES, NO) ((nb_vec)vpselq_f32((float32x4_t)(YES), (float32x4_t)(NO), MASK))
#define NB_WHERE_LESS(A, B, YES, NO) \
    NB_CHOICE(vcmpgtq_f32((float32x4_t)(B), (float32x4_t)(A)), YES, NO) /* "lt" is true of NaN */
#define NB_WHERE_SAME(A, B, YES, NO) \
    NB_CHOICE(vcmpeqq_f32((float32x4_t)(A), (float32x4_t)(B)), YES, NO)
#else
#define NB_CHOICE(MASK, YES, NO) \
    ((nb_vec)(((nb_uvec)(MASK) & (nb_uvec)(YES)) | (~(nb_uvec)(MASK) & (nb_uvec)(NO))))
#define NB_WHERE_LESS(A, B, YES, NO) NB_CHOICE((A) < (B), YES, NO)
#define NB_WHERE_SAME(A, B, YES, NO) NB_CHOICE((A) == (B), YES, NO)
#endif
#endif

/* A vector, not below or above a number; NaN stays NaN. */
#if defined(NB_REGISTER)
#define NB_AT_LEAST(X, LOW) nb_most_of(NB_ALL(LOW), X)
#define NB_AT_MOST(X, HIGH) nb_least_of(NB_ALL(HIGH), X)
#else
#define NB_AT_LEAST(X, LOW) NB_WHERE_LESS(X, NB_ALL(LOW), NB_ALL(LOW), X)
#define NB_AT_MOST(X, HIGH) NB_WHERE_LESS(NB_ALL(HIGH), X, NB_ALL(HIGH), X)
#endif

/* The larger one of two vectors; any of them where one is NaN. */
#if defined(NB_REGISTER)
#define NB_LARGER(A, B) nb_most_of(A, B)
#else
#define NB_LARGER(A, B) NB_WHERE_LESS(A, B, B, A)
#endif

/* The square root of each lane, where processors have it: it is rounded as nb_sqrt is. */
#if defined(NB_REGISTER)
static inline nb_vec nb_sqrt_vec(nb_vec x)
{
    nb_vec found;
    __asm__("vsqrtps %1, %0" : "=" NB_REGISTER(found) : NB_REGISTER(x));
    return found;
}
#define NB_SQRT(X) nb_sqrt_vec(X)
#elif NB_VL == 4 && defined(__SSE2__)
#include <emmintrin.h>
#define NB_SQRT(X) ((nb_vec)_mm_sqrt_ps((__m128)(X)))
#elif NB_VL == 4 && defined(__aarch64__)
#include <arm_neon.h>
#define NB_SQRT(X) ((nb_vec)vsqrtq_f32((float32x4_t)(X)))
#endif

/* Reads the first numbers of a vector, NB_VL at most; the others are `rest`. */
static inline void nb_load_few(nb_vec *v, const float *from, int32_t count, float rest)
{
    if (NB_VL == 1 || count >= NB_VL) {
        *v = NB_LOAD(from);
    } else {
        float part[NB_VL];
        for (int32_t i = 0; i < NB_VL; ++i) {
            part[i] = i < count ? from[i] : rest;
        }
        *v = NB_LOAD(part);
    }
}

/* Writes the first numbers of a vector, NB_VL at most. */
static inline void nb_store_few(float *to, const nb_vec *v, int32_t count)
{
    if (NB_VL == 1 || count >= NB_VL) {
        NB_STORE(to, *v);
    } else {
        float part[NB_VL];
        NB_STORE(part, *v);
        for (int32_t i = 0; i < count; ++i) {
            to[i] = part[i];
        }
    }
}

/*
 * A loop over COUNT numbers from X to Y, vector after vector: STEPS change the vector v. ONE is the
 * same of a number u, for what nb_subnormal.h watches; X may be Y.
 */
#define NB_EACH_VEC(COUNT, X, Y, STEPS, ONE)                               \
    for (int32_t at = 0; at < (COUNT); at += NB_VL) {                      \
        const int32_t left = (COUNT) - at < NB_VL ? (COUNT) - at : NB_VL;  \
        nb_vec v;                                                          \
        nb_load_few(&v, (X) + at, left, 0.0f);                             \
        STEPS;                                                             \
        NB_BOUND(v);                                                       \
        if (NB_FLUSHES && nb_was_flushed()) {                              \
            for (int32_t k = at; k < at + left; ++k) {                     \
                const float u = (X)[k];                                    \
                (Y)[k] = (ONE);                                            \
            }                                                              \
            nb_forget();                                                   \
        } else {                                                           \
            nb_store_few((Y) + at, &v, left);                              \
        }                                                                  \
    }

/* The largest of some numbers, -infinity where there are none; any where one is NaN. */
static inline float nb_largest(const float *x, int32_t count)
{
    nb_vec two[2] = {NB_ALL(-NB_INFINITY), NB_ALL(-NB_INFINITY)};
    float lanes[NB_VL];
    float most;
    int32_t width = NB_VL;
    int32_t i = 0;
    for (; i + 2 * NB_VL <= count; i += 2 * NB_VL) {
        two[0] = NB_LARGER(two[0], NB_LOAD(x + i));
        two[1] = NB_LARGER(two[1], NB_LOAD(x + i + NB_VL));
    }
    for (; i + NB_VL <= count; i += NB_VL) {
        two[0] = NB_LARGER(two[0], NB_LOAD(x + i));
    }
    two[0] = NB_LARGER(two[0], two[1]);
    NB_BOUND(two[0]);
    if (NB_FLUSHES && nb_was_flushed()) {
        i = 0; /* all of them, one by one */
        two[0] = (nb_vec)NB_ALL(-NB_INFINITY);
        nb_forget();
    }
    NB_STORE(lanes, two[0]);
#if defined(NB_REGISTER)
    nb_four four = NB_FOUR_LOAD(lanes);
    for (int32_t lane = 4; lane < NB_VL; lane += 4) {
        four = nb_most_of_four(four, NB_FOUR_LOAD(lanes + lane));
    }
    NB_FOUR_STORE(lanes, four);
    width = 4;
#endif
    for (width /= 2; width > 0; width /= 2) {
        for (int32_t lane = 0; lane < width; ++lane) {
            lanes[lane] = lanes[lane] < lanes[lane + width] ? lanes[lane + width] : lanes[lane];
        }
    }
    most = lanes[0];
    for (; i < count; ++i) {
        most = most < x[i] ? x[i] : most;
    }
    return most;
}

#endif
