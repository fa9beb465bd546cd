/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_resize_codes: other sizes along two axes, each element a mean of a few codes.
 *
 * Weights are whole numbers that are not negative; those of an element add up to 2048 along each
 * axis. A sum is rounded to even, counted from the zero point. An axis that stays as it is has one
 * tap of weight 2048.
 */
#ifndef NB_RESIZE_CODES_H
#define NB_RESIZE_CODES_H

#include "nb_common.h"

typedef struct nb_resize_codes_config {
    int32_t outer;   /* elements of all axes before */
    int32_t in_rows; /* of the first axis */
    int32_t rows;
    int32_t middle;  /* elements of the axes between both */
    int32_t in_columns; /* of the second axis */
    int32_t columns;
    int32_t inner;   /* elements of all axes behind */
    int32_t row_taps;
    int32_t column_taps;
    int32_t zero;
} nb_resize_codes_config;

/* places and weights are [taps][rows] and [taps][columns] */
void nb_resize_codes_i8(const nb_resize_codes_config *config, const int8_t *x,
                        const int32_t *row_places, const int32_t *row_weights,
                        const int32_t *column_places, const int32_t *column_weights, int8_t *y);
void nb_resize_codes_u8(const nb_resize_codes_config *config, const uint8_t *x,
                        const int32_t *row_places, const int32_t *row_weights,
                        const int32_t *column_places, const int32_t *column_weights, uint8_t *y);

#endif
