/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_order: where extremes lie along an axis, the first elements in order, running sums.
 *
 * NaN counts as larger and smaller than any number. Of equal elements the first one comes first.
 */
#ifndef NB_ORDER_H
#define NB_ORDER_H

#include "nb_types.h"

typedef struct nb_order_config {
    int32_t outer;     /* elements of all axes before */
    int32_t size;      /* of the axis */
    int32_t inner;     /* elements of all axes behind */
    int32_t count;     /* of the elements that topk gives */
    int32_t last;      /* whether the last of equal elements is wanted; exclusive sums */
    int32_t backwards; /* whether topk gives the smallest; sums from the end */
} nb_order_config;

#define NB_DECLARE_ORDER(SUFFIX, TYPE, WIDE)                                            \
    void nb_arg_max_##SUFFIX(const nb_order_config *config, const TYPE *x, int64_t *y); \
    void nb_arg_min_##SUFFIX(const nb_order_config *config, const TYPE *x, int64_t *y); \
    void nb_top_k_##SUFFIX(const nb_order_config *config, const TYPE *x, TYPE *values,  \
                           int64_t *places);

NB_INTEGERS(NB_DECLARE_ORDER)
NB_DECLARE_ORDER(f32, float, float)
#undef NB_DECLARE_ORDER

/* The sum of an element and all before it, or of all before it alone (`last`). */
void nb_cum_sum_f32(const nb_order_config *config, const float *x, float *y);
void nb_cum_sum_i32(const nb_order_config *config, const int32_t *x, int32_t *y);
void nb_cum_sum_i64(const nb_order_config *config, const int64_t *x, int64_t *y);

typedef struct nb_trilu_config {
    int32_t batch;
    int32_t rows;
    int32_t columns;
    int32_t diagonal;
    int32_t is_upper;
    int32_t bytes; /* of an element */
} nb_trilu_config;

/* Keeps what is on or above (below) a diagonal, zeros elsewhere; y may be x. */
void nb_trilu(const nb_trilu_config *config, const void *x, void *y);

#endif
