/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_index: reading and writing elements at places that are computed.
 *
 * Places are 32- or 64-bit integers; negative ones count from the end. One that is out of range is
 * taken for the nearest that there is, so that nothing is read or written outside of a tensor.
 */
#ifndef NB_INDEX_H
#define NB_INDEX_H

#include "nb_common.h"

typedef struct nb_gather_config {
    int32_t outer;  /* elements of all axes before the one that is gathered along */
    int32_t size;   /* of that axis */
    int32_t count;  /* number of places */
    int32_t bytes;  /* of all elements behind: what lies at one place */
} nb_gather_config;

/* y[o][n] = x[o][places[n]] */
void nb_gather_i32(const nb_gather_config *config, const void *x, const int32_t *places, void *y);
void nb_gather_i64(const nb_gather_config *config, const void *x, const int64_t *places, void *y);

typedef struct nb_gather_elements_config {
    int32_t rank;
    int32_t dims[NB_MAX_RANK];    /* of the places */
    int32_t strides[NB_MAX_RANK]; /* of the other tensor, in elements; 0 for the axis */
    int32_t size;                 /* of the axis in the other tensor */
    int32_t step;                 /* from one element to the next along it */
    int32_t bytes;                /* of an element: 1, 2, 4 or 8 */
} nb_gather_elements_config;

/* y[i][j]... = x[i]...[places[i][j]...]... */
void nb_gather_elements_i32(const nb_gather_elements_config *config, const void *x,
                            const int32_t *places, void *y);
void nb_gather_elements_i64(const nb_gather_elements_config *config, const void *x,
                            const int64_t *places, void *y);

/* y[i]...[places[i][j]...]... = updates[i][j]..., in their order; y holds a copy of the data. */
void nb_scatter_elements_i32(const nb_gather_elements_config *config, const int32_t *places,
                             const void *updates, void *y);
void nb_scatter_elements_i64(const nb_gather_elements_config *config, const int64_t *places,
                             const void *updates, void *y);

/* The same, added to what is there. */
void nb_scatter_add_f32_i32(const nb_gather_elements_config *config, const int32_t *places,
                            const float *updates, float *y);
void nb_scatter_add_f32_i64(const nb_gather_elements_config *config, const int64_t *places,
                            const float *updates, float *y);

typedef struct nb_gather_nd_config {
    int32_t batch;                /* elements of the first axes, which have places of their own */
    int32_t count;                /* number of places of one of them */
    int32_t depth;                /* coordinates of a place */
    int32_t sizes[NB_MAX_RANK];   /* of the axes that these go along */
    int32_t strides[NB_MAX_RANK]; /* from one to the next, in bytes */
    int32_t batch_bytes;          /* of one of the first axes' elements */
    int32_t bytes;                /* of what lies at one place */
} nb_gather_nd_config;

/* y[b][n] = x[b][places[b][n][0]][places[b][n][1]]... */
void nb_gather_nd_i32(const nb_gather_nd_config *config, const void *x, const int32_t *places,
                      void *y);
void nb_gather_nd_i64(const nb_gather_nd_config *config, const void *x, const int64_t *places,
                      void *y);

/* y[b][places[b][n][0]]... = updates[b][n], in their order; y holds a copy of the data. */
void nb_scatter_nd_i32(const nb_gather_nd_config *config, const int32_t *places,
                       const void *updates, void *y);
void nb_scatter_nd_i64(const nb_gather_nd_config *config, const int64_t *places,
                       const void *updates, void *y);

typedef struct nb_one_hot_config {
    int32_t outer;
    int32_t size; /* of the new axis */
    int32_t inner;
    int32_t bytes; /* of an element of y */
} nb_one_hot_config;

/* pair[1] where a place points along the new axis, pair[0] elsewhere; out of range: nowhere. */
void nb_one_hot_i32(const nb_one_hot_config *config, const int32_t *places, const void *pair,
                    void *y);
void nb_one_hot_i64(const nb_one_hot_config *config, const int64_t *places, const void *pair,
                    void *y);

#endif
