/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_einsum: sums of products of up to four tensors, over any of their indices.
 *
 * A sum starts at 0. Its terms are taken with the last summed index running fastest; a term is the
 * product of the operands from left to right.
 */
#ifndef NB_EINSUM_H
#define NB_EINSUM_H

#include "nb_common.h"

typedef struct nb_einsum_config {
    int32_t operands;                   /* 1 to 4 */
    int32_t rank;                       /* indices of the result, from 1 on */
    int32_t dims[NB_MAX_RANK];
    int32_t over_rank;                  /* summed indices, from 1 on */
    int32_t over_dims[NB_MAX_RANK];
    int32_t a_strides[NB_MAX_RANK];     /* of each operand along the indices of the result */
    int32_t b_strides[NB_MAX_RANK];
    int32_t c_strides[NB_MAX_RANK];
    int32_t d_strides[NB_MAX_RANK];
    int32_t a_over[NB_MAX_RANK];        /* and along the summed ones */
    int32_t b_over[NB_MAX_RANK];
    int32_t c_over[NB_MAX_RANK];
    int32_t d_over[NB_MAX_RANK];
} nb_einsum_config;

/* Operands that are not there are NULL. */
void nb_einsum_f32(const nb_einsum_config *config, const float *a, const float *b, const float *c,
                   const float *d, float *y);

#endif
