/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_recurrent: recurrent layers over a whole sequence, in one direction.
 *
 * What a gate adds up starts at the sum of its two biases, or at 0; then come the products of the
 * data and weights, then those of the state and weights, each in the order of storage. Gates are
 * laid out as ONNX has them: i, o, f, c of LSTM; z, r, h of GRU.
 */
#ifndef NB_RECURRENT_H
#define NB_RECURRENT_H

#include "nb_common.h"

typedef struct nb_recurrent_config {
    int32_t steps;
    int32_t batch;
    int32_t inputs;    /* features of the data */
    int32_t hidden;    /* features of the state */
    int32_t backwards; /* whether the sequence is read from its end */
    int32_t y_step;    /* elements of y from one step to the next */
    int32_t option;    /* RNN: relu in place of tanh; GRU: linear_before_reset */
} nb_recurrent_config;

/*
 * x is [steps][batch][inputs], w [gates * hidden][inputs], r [gates * hidden][hidden], b [2 * gates
 * * hidden], peepholes [3 * hidden] of gates i, o and f. b, first states and peepholes may be NULL.
 * h and c end as the last states and start from the first ones. `scratch` holds 4 * hidden numbers.
 */
void nb_rnn_f32(const nb_recurrent_config *config, const float *x, const float *w, const float *r,
                const float *b, const float *first_h, float *scratch, float *y, float *h);
void nb_gru_f32(const nb_recurrent_config *config, const float *x, const float *w, const float *r,
                const float *b, const float *first_h, float *scratch, float *y, float *h);
void nb_lstm_f32(const nb_recurrent_config *config, const float *x, const float *w,
                 const float *r, const float *b, const float *first_h, const float *first_c,
                 const float *peepholes, float *scratch, float *y, float *h, float *c);

#endif
