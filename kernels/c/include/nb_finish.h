/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_finish: what is done to sums of channels side by side before they are stored.
 *
 * Only for nb_conv_last: the operations of nb_batch_norm, nb_add and nb_clip, in this order.
 */
#ifndef NB_FINISH_H
#define NB_FINISH_H

#include "nb_vec.h"

/* v where it is not less than, or not greater than, a bound: NaN stays, and -0 beside 0. */
#if NB_VL == 16 && defined(__AVX512F__)
#include <immintrin.h>
#define NB_AT_LEAST(V, BOUND) ((nb_vec)_mm512_max_ps((__m512)(BOUND), (__m512)(V)))
#define NB_AT_MOST(V, BOUND) ((nb_vec)_mm512_min_ps((__m512)(BOUND), (__m512)(V)))
#elif NB_VL == 8 && defined(__AVX__)
#include <immintrin.h>
#define NB_AT_LEAST(V, BOUND) ((nb_vec)_mm256_max_ps((__m256)(BOUND), (__m256)(V)))
#define NB_AT_MOST(V, BOUND) ((nb_vec)_mm256_min_ps((__m256)(BOUND), (__m256)(V)))
#elif NB_VL > 1
typedef int32_t nb_mask __attribute__((vector_size(4 * NB_VL)));
#define NB_AT_LEAST(V, BOUND) \
    ((nb_vec)(((nb_mask)(BOUND) & ((V) < (BOUND))) | ((nb_mask)(V) & ~((V) < (BOUND)))))
#define NB_AT_MOST(V, BOUND) \
    ((nb_vec)(((nb_mask)(BOUND) & ((V) > (BOUND))) | ((nb_mask)(V) & ~((V) > (BOUND)))))
#endif
#define NB_ONE_AT_LEAST(V, BOUND) ((V) < (BOUND) ? (BOUND) : (V))
#define NB_ONE_AT_MOST(V, BOUND) ((V) > (BOUND) ? (BOUND) : (V))

/* Channels that are computed side by side: what they start and end with, from the first one on. */
typedef struct nb_lanes {
    const float *w;
    ptrdiff_t width; /* of a row of weights */
    const float *bias;
    const float *factor;
    const float *offset;
    const float *more;
    float *y;
} nb_lanes;

/* SUM is [PIXELS][VECTORS]; pixels of y are `out` apart; the lanes of y lie side by side. */
#define NB_FINISH(PIXELS, VECTORS, TYPE, LANES, KIND)                                       \
    if (l->factor != NULL) {                                                                \
        NB_UNROLLED                                                                         \
        for (int32_t j = 0; j < (VECTORS); ++j) {                                           \
            const TYPE factor = KIND##_LOAD(l->factor + j * (LANES));                       \
            const TYPE offset = KIND##_LOAD(l->offset + j * (LANES));                       \
            NB_UNROLLED                                                                     \
            for (int32_t i = 0; i < (PIXELS); ++i) {                                        \
                sum[i][j] = sum[i][j] * factor + offset;                                    \
            }                                                                               \
        }                                                                                   \
    }                                                                                       \
    if (l->more != NULL && c->y_channel == 1) {                                             \
        NB_UNROLLED                                                                         \
        for (int32_t i = 0; i < (PIXELS); ++i) {                                            \
            NB_UNROLLED                                                                     \
            for (int32_t j = 0; j < (VECTORS); ++j) {                                       \
                sum[i][j] = sum[i][j] + KIND##_LOAD(l->more + to + i * out + j * (LANES));  \
            }                                                                               \
        }                                                                                   \
    }                                                                                       \
    if (c->y_channel == 1) {                                                                \
        const TYPE low = KIND##_ALL(c->low);                                                \
        const TYPE high = KIND##_ALL(c->high);                                              \
        NB_UNROLLED                                                                         \
        for (int32_t i = 0; i < (PIXELS); ++i) {                                            \
            NB_UNROLLED                                                                     \
            for (int32_t j = 0; j < (VECTORS); ++j) {                                       \
                const TYPE above = KIND##_AT_LEAST(sum[i][j], low);                         \
                KIND##_STORE(l->y + to + i * out + j * (LANES), KIND##_AT_MOST(above, high)); \
            }                                                                               \
        }                                                                                   \
    }

#endif
