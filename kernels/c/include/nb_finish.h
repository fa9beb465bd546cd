/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_finish: what the sums of a tile begin with, and what follows them before they are stored.
 *
 * The operations are those of the kernels that would follow: nb_batch_norm, nb_binary, nb_clip.
 * `sum` is [HIGH][WIDE] vectors of a TYPE; KIND is NB, NB_FOUR or NB_ONE.
 */
#ifndef NB_FINISH_H
#define NB_FINISH_H

#include "nb_vec.h"

/* Bits of `then`, in the order in which it is done; without any, sums are stored as they are. */
#define NB_THEN_NORM 1       /* times a factor per channel, plus an offset per channel, */
#define NB_THEN_PLUS_FIRST 2 /* or the other way round */
#define NB_THEN_MORE 4       /* plus another addend for each result */
#define NB_THEN_LOW 8        /* what is less becomes low */
#define NB_THEN_HIGH 16      /* what is more becomes high */

/* A kernel, and the one that does what follows as well, have one source: this is for the latter. */
#if defined(NB_WITH_THEN)
#define NB_IF_THEN(...) __VA_ARGS__
#else
#define NB_IF_THEN(...)
#endif

/* v where it is not less than, or not greater than, a bound: NaN stays, and -0 beside 0. */
#define NB_ONE_AT_LEAST(V, BOUND) ((V) < (BOUND) ? (BOUND) : (V))
#define NB_ONE_AT_MOST(V, BOUND) ((V) > (BOUND) ? (BOUND) : (V))
#if defined(NB_REGISTER)
#define NB_AT_LEAST(V, BOUND) nb_most_of(BOUND, V)
#define NB_AT_MOST(V, BOUND) nb_least_of(BOUND, V)
#define NB_FOUR_AT_LEAST(V, BOUND) nb_most_of_four(BOUND, V)
#define NB_FOUR_AT_MOST(V, BOUND) nb_least_of_four(BOUND, V)
#elif NB_VL == 4 && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
/* BOUND where A > B, else V. What these processors call less than is true of NaN as well. */
#define NB_BOUND_WHERE(V, BOUND, A, B)                          \
    ((nb_vec)vpselq_f32((float32x4_t)(BOUND), (float32x4_t)(V), \
                        vcmpgtq_f32((float32x4_t)(A), (float32x4_t)(B))))
#define NB_AT_LEAST(V, BOUND) NB_BOUND_WHERE(V, BOUND, BOUND, V)
#define NB_AT_MOST(V, BOUND) NB_BOUND_WHERE(V, BOUND, V, BOUND)
#elif NB_VL > 1
typedef int32_t nb_mask __attribute__((vector_size(4 * NB_VL)));
#define NB_AT_LEAST(V, BOUND) \
    ((nb_vec)(((nb_mask)(BOUND) & ((V) < (BOUND))) | ((nb_mask)(V) & ~((V) < (BOUND)))))
#define NB_AT_MOST(V, BOUND) \
    ((nb_vec)(((nb_mask)(BOUND) & ((V) > (BOUND))) | ((nb_mask)(V) & ~((V) > (BOUND)))))
#endif

/* A number for each lane, or one for all of them where the next one lies STEP = 0 behind it. */
#define NB_EACH(FROM, STEP) ((STEP) == 0 ? NB_ALL(*(FROM)) : (nb_vec)NB_LOAD(FROM))
#define NB_FOUR_EACH(FROM, STEP) ((STEP) == 0 ? NB_FOUR_ALL(*(FROM)) : (nb_four)NB_FOUR_LOAD(FROM))
#define NB_ONE_EACH(FROM, STEP) (*(FROM))

/* BODY for each vector of a tile, which sees it as sum[i][j]. */
#define NB_OVER_TILE(HIGH, WIDE, BODY)         \
    NB_UNROLLED                                \
    for (int32_t i = 0; i < (HIGH); ++i) {     \
        NB_UNROLLED                            \
        for (int32_t j = 0; j < (WIDE); ++j) { \
            BODY                               \
        }                                      \
    }

/* Begins with a bias for each lane, or with 0. */
#define NB_BEGIN(BIAS, HIGH, WIDE, LANES, KIND)            \
    NB_OVER_TILE(HIGH, WIDE, {                             \
        sum[i][j] = KIND##_ALL(0.0f);                      \
        if ((BIAS) != NULL) {                              \
            sum[i][j] = KIND##_LOAD((BIAS) + j * (LANES)); \
        }                                                  \
    })

/* Copies between a tile and data whose channels, and pixels, lie so far apart. */
static inline void nb_gather(int32_t pixels, int32_t lanes, const float *more, ptrdiff_t channel,
                             ptrdiff_t pixel, float *result)
{
    for (ptrdiff_t j = 0; j < lanes; ++j) {
        for (ptrdiff_t i = 0; i < pixels; ++i) {
            result[i * lanes + j] = more[j * channel + i * pixel];
        }
    }
}

static inline void nb_scatter(int32_t pixels, int32_t lanes, const float *result, float *y,
                              ptrdiff_t channel, ptrdiff_t pixel)
{
    for (ptrdiff_t j = 0; j < lanes; ++j) {
        for (ptrdiff_t i = 0; i < pixels; ++i) {
            y[j * channel + i * pixel] = result[i * lanes + j];
        }
    }
}

/* Channels that are computed side by side, from the first one on. */
typedef struct nb_lanes {
    const float *w;
    ptrdiff_t width; /* of a row of weights */
    const float *bias;
    const float *norm;
    const float *more;
    float *y;
} nb_lanes;

#define NB_STORE_TILE(TO, HIGH, WIDE, KIND) \
    NB_OVER_TILE(HIGH, WIDE, KIND##_STORE(TO, sum[i][j]);)

/*
 * Does what follows, as C, a configuration, says. The factor for SUM[i][j] is at FACTOR, the offset
 * SIZE behind it, the next lane's STEP behind; the other addend is at MORE.
 */
#define NB_THEN(SUM, C, FACTOR, SIZE, STEP, MORE, HIGH, WIDE, TYPE, KIND)                \
    if (((C)->then & NB_THEN_NORM) != 0) {                                               \
        if (((C)->then & NB_THEN_PLUS_FIRST) != 0) {                                     \
            NB_OVER_TILE(HIGH, WIDE, SUM[i][j] += KIND##_EACH((FACTOR) + (SIZE), STEP);) \
        }                                                                                \
        NB_OVER_TILE(HIGH, WIDE, SUM[i][j] *= KIND##_EACH(FACTOR, STEP);)                \
        if (((C)->then & NB_THEN_PLUS_FIRST) == 0) {                                     \
            NB_OVER_TILE(HIGH, WIDE, SUM[i][j] += KIND##_EACH((FACTOR) + (SIZE), STEP);) \
        }                                                                                \
    }                                                                                    \
    if (((C)->then & NB_THEN_MORE) != 0) {                                               \
        NB_OVER_TILE(HIGH, WIDE, SUM[i][j] += KIND##_LOAD(MORE);)                        \
    }                                                                                    \
    if (((C)->then & NB_THEN_LOW) != 0) {                                                \
        const TYPE low = KIND##_ALL((C)->low);                                           \
        NB_OVER_TILE(HIGH, WIDE, SUM[i][j] = KIND##_AT_LEAST(SUM[i][j], low);)           \
    }                                                                                    \
    if (((C)->then & NB_THEN_HIGH) != 0) {                                               \
        const TYPE high = KIND##_ALL((C)->high);                                         \
        NB_OVER_TILE(HIGH, WIDE, SUM[i][j] = KIND##_AT_MOST(SUM[i][j], high);)           \
    }

#endif
