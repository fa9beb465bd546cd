/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_lstm_codes: an LSTM with weights of 8 bits, whose data and states are quantized as they come.
 *
 * The data of all steps are quantized to uint8 by their range, the states of a step by theirs. A
 * gate is the scaled sum of the data, plus that of the state, plus both biases.
 */
#ifndef NB_LSTM_CODES_H
#define NB_LSTM_CODES_H

#include "nb_common.h"

typedef struct nb_lstm_codes_config {
    int32_t steps;
    int32_t batch;
    int32_t inputs;    /* features of the data */
    int32_t hidden;    /* features of the state */
    int32_t backwards; /* whether the sequence is read from its end */
    int32_t y_step;    /* elements of y from one step to the next */
    int32_t w_step;    /* 1 when w has a scale and zero point per column, 0 when it has one */
    int32_t r_step;    /* the same of r */
} nb_lstm_codes_config;

/*
 * x is [steps][batch][inputs], w [inputs][4 * hidden], r [hidden][4 * hidden], b [8 * hidden],
 * peepholes [3 * hidden]. b, first states and peepholes may be NULL. h and c end as the last
 * states. `codes` holds those of x and of one step's h, `sums` 4 * hidden numbers.
 */
#define NB_DECLARE_LSTM_CODES(SUFFIX, TYPE)                                                        \
    void nb_lstm_codes_##SUFFIX(const nb_lstm_codes_config *config, const float *x, const TYPE *w, \
                                const float *w_scale, const TYPE *w_zero, const TYPE *r,           \
                                const float *r_scale, const TYPE *r_zero, const float *b,          \
                                const float *first_h, const float *first_c,                        \
                                const float *peepholes, uint8_t *codes, float *sums, float *y,     \
                                float *h, float *c);

NB_DECLARE_LSTM_CODES(i8, int8_t)
NB_DECLARE_LSTM_CODES(u8, uint8_t)
#undef NB_DECLARE_LSTM_CODES

#endif
