/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_fixed_more: further operators on 8-bit codes that round as TensorFlow Lite does, and LSTMs on
 * codes of 8 or 16 bits.
 */
#ifndef NB_FIXED_MORE_H
#define NB_FIXED_MORE_H

#include "nb_binary.h"
#include "nb_rescale.h"

/*
 * square: (a - b)^2; `by` is the zero points of a and b; multiplier and shift of a, of b, of the
 *         square; the zero point of y.
 * prelu:  b are slopes; `by` is the zero points of a and b; multiplier and shift of what is not
 *         negative, and of products with slopes; the zero point of y.
 * div:    `by` is the zero points of a and b; multiplier and shift; the zero point of y, its least
 *         and its largest code. What is divided by zero becomes one of these.
 */
void nb_square_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                        const int32_t *by, int8_t *y);
void nb_prelu_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                       const int32_t *by, int8_t *y);
void nb_div_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                     const int32_t *inverses, const int32_t *by, int8_t *y);

typedef struct nb_bilinear_config {
    int32_t images;
    int32_t in_rows;
    int32_t in_columns;
    int32_t rows;
    int32_t columns;
} nb_bilinear_config;

/* Per row and column of y: the element before, the one after, the way between, of 1024. */
void nb_bilinear_fixed_i8(const nb_bilinear_config *config, const int8_t *x, const int32_t *rows,
                          const int32_t *columns, int8_t *y);

typedef struct nb_lstm_fixed_config {
    int32_t batch;
    int32_t steps;
    int32_t inputs;
    int32_t units;
    int32_t x_batch; /* from one sequence to the next, and from one step to the next */
    int32_t x_step;
    int32_t y_batch;
    int32_t y_step;
    int32_t x_zero;
    int32_t y_zero;
} nb_lstm_fixed_config;

/*
 * Gates are input, forget, cell, output. `by` has a multiplier and a shift for the sums of the
 * inputs of each gate, for those of the state, for the three products; the factor of the tangent of
 * the cell; the bound of the cell, 0 without one. `work` has 5 * units numbers.
 */
void nb_lstm_fixed_i8(const nb_lstm_fixed_config *config, const int8_t *x, const int8_t *w,
                      const int8_t *r, const int32_t *bias, const int32_t *by,
                      const uint16_t *table, int16_t *work, int8_t *y);
void nb_lstm_wide(const nb_lstm_fixed_config *config, const int16_t *x, const int8_t *w,
                  const int8_t *r, const int64_t *bias, const int32_t *by, const uint16_t *table,
                  int16_t *work, int16_t *y);

#endif
