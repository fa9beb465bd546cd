/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_fold: the loops of reductions.
 *
 * NB_FOLD defines a kernel that computes several results side by side, NB_FOLD_PLAIN one that does
 * not. START is what a result begins with, TERM what it becomes with one more element v, FINISH
 * what is given.
 */
#ifndef NB_FOLD_H
#define NB_FOLD_H

#include "nb_walk.h"

typedef struct nb_reduce_config {
    int32_t rank;                   /* dimensions that stay, from 1 on: those of y */
    int32_t dims[NB_MAX_RANK];
    int32_t strides[NB_MAX_RANK];   /* in x, in elements */
    int32_t over_rank;              /* dimensions that are reduced, from 1 on */
    int32_t over_dims[NB_MAX_RANK];
    int32_t over_strides[NB_MAX_RANK];
    float count;                    /* what sums are divided by to give means */
} nb_reduce_config;

#define NB_SIDE_BY_SIDE 8 /* results that are computed together */

/* Computes LANES results whose elements are `step` apart. */
#define NB_FOLD_LANES(NAME, LANES, TYPE, TOTAL, START, TERM, FINISH)                               \
    static void NAME(const nb_reduce_config *c, const TYPE *x, ptrdiff_t step, TYPE *y)            \
    {                                                                                              \
        const int32_t last = c->over_rank - 1;                                                     \
        nb_walk walk = {{0}, 0, 0, 0};                                                             \
        TOTAL totals[LANES];                                                                       \
        for (int32_t i = 0; i < (LANES); ++i) {                                                    \
            totals[i] = (START);                                                                   \
        }                                                                                          \
        if (!nb_is_empty(c->over_rank, c->over_dims)) {                                            \
            do {                                                                                   \
                const TYPE *from = x + walk.a;                                                     \
                for (int32_t k = 0; k < c->over_dims[last]; ++k) {                                 \
                    for (int32_t i = 0; i < (LANES); ++i) {                                        \
                        const TYPE v = from[i * step];                                             \
                        const TOTAL total = totals[i];                                             \
                        totals[i] = (TERM);                                                        \
                    }                                                                              \
                    from += c->over_strides[last];                                                 \
                }                                                                                  \
            } while (nb_next_row(&walk, c->over_rank, c->over_dims, c->over_strides, NULL, NULL)); \
        }                                                                                          \
        for (int32_t i = 0; i < (LANES); ++i) {                                                    \
            const TOTAL total = totals[i];                                                         \
            y[i] = (TYPE)(FINISH);                                                                 \
        }                                                                                          \
    }

/* The body of a kernel that computes results side by side with MANY, and those left with ONE. */
#define NB_FOLD_BODY(MANY, ONE)                                                                \
    {                                                                                          \
        const int32_t width = config->dims[config->rank - 1];                                  \
        const ptrdiff_t step = config->strides[config->rank - 1];                              \
        nb_walk walk = {{0}, 0, 0, 0};                                                         \
        if (nb_is_empty(config->rank, config->dims)) {                                         \
            return;                                                                            \
        }                                                                                      \
        do {                                                                                   \
            int32_t i = 0;                                                                     \
            for (; i + NB_SIDE_BY_SIDE <= width; i += NB_SIDE_BY_SIDE) {                       \
                MANY(config, x + walk.a + i * step, step, y + i);                              \
            }                                                                                  \
            for (; i < width; ++i) {                                                           \
                ONE(config, x + walk.a + i * step, step, y + i);                               \
            }                                                                                  \
            y += width;                                                                        \
        } while (nb_next_row(&walk, config->rank, config->dims, config->strides, NULL, NULL)); \
    }

#define NB_FOLD(NAME, TYPE, TOTAL, START, TERM, FINISH)                           \
    NB_FOLD_LANES(NAME##_many, NB_SIDE_BY_SIDE, TYPE, TOTAL, START, TERM, FINISH) \
    NB_FOLD_LANES(NAME##_one, 1, TYPE, TOTAL, START, TERM, FINISH)                \
    void NAME(const nb_reduce_config *config, const TYPE *x, TYPE *y)             \
    NB_FOLD_BODY(NAME##_many, NAME##_one)

#define NB_FOLD_PLAIN(NAME, TYPE, TOTAL, START, TERM, FINISH)                                  \
    NB_FOLD_LANES(NAME##_one, 1, TYPE, TOTAL, START, TERM, FINISH)                             \
    void NAME(const nb_reduce_config *config, const TYPE *x, TYPE *y)                          \
    {                                                                                          \
        const int32_t last = config->rank - 1;                                                 \
        nb_walk walk = {{0}, 0, 0, 0};                                                         \
        if (nb_is_empty(config->rank, config->dims)) {                                         \
            return;                                                                            \
        }                                                                                      \
        do {                                                                                   \
            for (int32_t i = 0; i < config->dims[last]; ++i) {                                 \
                NAME##_one(config, x + walk.a + (ptrdiff_t)i * config->strides[last], 0, y++); \
            }                                                                                  \
        } while (nb_next_row(&walk, config->rank, config->dims, config->strides, NULL, NULL)); \
    }

#endif
