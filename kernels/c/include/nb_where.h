/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_where: elements from a where the condition holds, from b elsewhere, with broadcasting.
 *
 * The suffix is the number of bits of an element. y may be a or b where these have as many
 * elements. Conditions are bytes.
 */
#ifndef NB_WHERE_H
#define NB_WHERE_H

#include "nb_common.h"

typedef struct nb_where_config {
    int32_t rank;                           /* number of dimensions, from 1 on */
    int32_t dims[NB_MAX_RANK];              /* of the output */
    int32_t condition_strides[NB_MAX_RANK]; /* in elements */
    int32_t a_strides[NB_MAX_RANK];
    int32_t b_strides[NB_MAX_RANK];
} nb_where_config;

void nb_where_8(const nb_where_config *config, const uint8_t *condition, const uint8_t *a,
                const uint8_t *b, uint8_t *y);
void nb_where_16(const nb_where_config *config, const uint8_t *condition, const uint16_t *a,
                 const uint16_t *b, uint16_t *y);
void nb_where_32(const nb_where_config *config, const uint8_t *condition, const uint32_t *a,
                 const uint32_t *b, uint32_t *y);
void nb_where_64(const nb_where_config *config, const uint8_t *condition, const uint64_t *a,
                 const uint64_t *b, uint64_t *y);

#endif
