/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_move: moving elements without looking at them.
 *
 * One kernel serves Transpose, Slice, Split, Concat, Expand, Tile, Pad and the like: it goes
 * through two tensors of the same dimensions with strides of their own, in elements of `size`
 * bytes. A stride of 0 repeats, a negative one goes backwards; the pointers are the first elements.
 */
#ifndef NB_MOVE_H
#define NB_MOVE_H

#include "nb_common.h"

typedef struct nb_copy_config {
    uint32_t bytes;
} nb_copy_config;

/* Copies bytes; y may overlap x in any way. */
void nb_copy(const nb_copy_config *config, const void *x, void *y);

typedef struct nb_select_config {
    uint32_t bytes;
    int32_t index; /* number of the branch that x is */
} nb_select_config;

/* Copies bytes if the choice is `index`. */
void nb_select_i32(const nb_select_config *config, const int32_t *choice, const void *x, void *y);
void nb_select_i64(const nb_select_config *config, const int64_t *choice, const void *x, void *y);
void nb_select_bool(const nb_select_config *config, const uint8_t *choice, const void *x, void *y);

typedef struct nb_fill_config {
    uint32_t count; /* number of elements */
    uint32_t size;  /* bytes of an element: 1, 2, 4 or 8 */
    uint32_t low;   /* bits of the element, its low 32 ones first */
    uint32_t high;
} nb_fill_config;

/* Writes the same element everywhere. */
void nb_fill(const nb_fill_config *config, void *y);

typedef struct nb_move_config {
    int32_t rank;                   /* number of dimensions, from 1 on */
    int32_t dims[NB_MAX_RANK];      /* of what is moved */
    int32_t x_strides[NB_MAX_RANK]; /* in elements */
    int32_t y_strides[NB_MAX_RANK];
    int32_t size; /* bytes of an element: 1, 2, 4 or 8 */
} nb_move_config;

/* Copies elements; y may not overlap x. */
void nb_move(const nb_move_config *config, const void *x, void *y);

typedef struct nb_pick_config {
    int32_t rank;              /* number of dimensions, from 1 on */
    int32_t dims[NB_MAX_RANK]; /* of the output */
    int32_t size;              /* bytes of an element */
} nb_pick_config;

/*
 * Copies the element at places[0][i] + places[1][j] + ... to [i][j]...: `places` has, one list
 * behind the other, as many numbers of elements as there are indices along each dimension. A sum
 * below 0 leaves the output as it is.
 */
void nb_pick(const nb_pick_config *config, const void *x, const int32_t *places, void *y);

#endif
