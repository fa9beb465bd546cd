/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_walk: going through several tensors together, row by row.
 *
 * A row is the last dimension. The walk goes over all others, and keeps the place in each tensor
 * in elements.
 */
#ifndef NB_WALK_H
#define NB_WALK_H

#include "nb_common.h"

typedef struct nb_walk {
    int32_t at[NB_MAX_RANK];
    ptrdiff_t a; /* where the row starts in each tensor */
    ptrdiff_t b;
    ptrdiff_t c;
} nb_walk;

/* Whether there is nothing to go through. */
static inline int nb_is_empty(int32_t rank, const int32_t *dims)
{
    int is_empty = 0;
    for (int32_t axis = 0; axis < rank; ++axis) {
        is_empty = is_empty || dims[axis] <= 0;
    }
    return is_empty;
}

/* Goes to the next row; returns 0 behind the last one. Strides that are not needed may be NULL. */
static inline int nb_next_row(nb_walk *walk, int32_t rank, const int32_t *dims,
                              const int32_t *a_strides, const int32_t *b_strides,
                              const int32_t *c_strides)
{
    for (int32_t axis = rank - 2; axis >= 0; --axis) {
        const ptrdiff_t a = a_strides != NULL ? a_strides[axis] : 0;
        const ptrdiff_t b = b_strides != NULL ? b_strides[axis] : 0;
        const ptrdiff_t c = c_strides != NULL ? c_strides[axis] : 0;
        walk->a += a;
        walk->b += b;
        walk->c += c;
        if (++walk->at[axis] < dims[axis]) {
            return 1;
        }
        walk->a -= a * dims[axis];
        walk->b -= b * dims[axis];
        walk->c -= c * dims[axis];
        walk->at[axis] = 0;
    }
    return 0;
}

#endif
