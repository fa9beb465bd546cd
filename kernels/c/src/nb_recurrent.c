/* SPDX-License-Identifier: MIT-0 */
#include "nb_recurrent.h"

#include "nb_long.h"

#define NB_GATES 8 /* sums that are added up side by side */

/* Adds the products of `count` rows of weights and a vector to `sums`. */
static void nb_add_products(const float *weights, const float *vector, int32_t size,
                            int32_t count, float *sums)
{
    int32_t row = 0;
    for (; row + NB_GATES <= count; row += NB_GATES) {
        const float *from = weights + (ptrdiff_t)row * size;
        for (int32_t k = 0; k < size; ++k) {
            for (int32_t i = 0; i < NB_GATES; ++i) {
                sums[row + i] += from[(ptrdiff_t)i * size + k] * vector[k];
            }
        }
    }
    for (; row < count; ++row) {
        const float *from = weights + (ptrdiff_t)row * size;
        for (int32_t k = 0; k < size; ++k) {
            sums[row] += from[k] * vector[k];
        }
    }
}

/* Starts sums at the biases of the data and, if there are any to add, of the state. */
static void nb_start(const float *data_bias, const float *state_bias, int32_t count, float *sums)
{
    for (int32_t i = 0; i < count; ++i) {
        const float first = data_bias == NULL ? 0.0f : data_bias[i];
        sums[i] = state_bias == NULL ? first : first + state_bias[i];
    }
}

static void nb_first_state(const nb_recurrent_config *config, const float *first, float *state)
{
    const int32_t count = config->batch * config->hidden;
    for (int32_t i = 0; i < count; ++i) {
        state[i] = first == NULL ? 0.0f : first[i];
    }
}

/* Goes over steps and samples; BODY sees `from`, the data, and `at`, the place in the states. */
#define NB_OVER_STEPS(BODY)                                                               \
    for (int32_t turn = 0; turn < config->steps; ++turn) {                                \
        const ptrdiff_t step = config->backwards != 0 ? config->steps - 1 - turn : turn;  \
        for (int32_t sample = 0; sample < config->batch; ++sample) {                      \
            const float *from = x + (step * config->batch + sample) * config->inputs;     \
            const ptrdiff_t at = (ptrdiff_t)sample * hidden;                              \
            float *to = y == NULL ? NULL : y + step * config->y_step + at;                \
            BODY                                                                          \
            for (int32_t i = 0; to != NULL && i < hidden; ++i) {                          \
                to[i] = h[at + i];                                                        \
            }                                                                             \
        }                                                                                 \
    }

void nb_rnn_f32(const nb_recurrent_config *config, const float *x, const float *w, const float *r,
                const float *b, const float *first_h, float *scratch, float *y, float *h)
{
    const int32_t hidden = config->hidden;
    nb_first_state(config, first_h, h);
    NB_OVER_STEPS({
        nb_start(b, b == NULL ? NULL : b + hidden, hidden, scratch);
        nb_add_products(w, from, config->inputs, hidden, scratch);
        nb_add_products(r, h + at, hidden, hidden, scratch);
        for (int32_t i = 0; i < hidden; ++i) {
            const float above = scratch[i] < 0.0f ? 0.0f : scratch[i];
            h[at + i] = config->option != 0 ? above : nb_tanh(scratch[i]);
        }
    })
}

void nb_gru_f32(const nb_recurrent_config *config, const float *x, const float *w, const float *r,
                const float *b, const float *first_h, float *scratch, float *y, float *h)
{
    const int32_t hidden = config->hidden;
    const ptrdiff_t two = 2 * (ptrdiff_t)hidden;
    const float *state_bias = b == NULL ? NULL : b + 3 * (ptrdiff_t)hidden;
    const float *new_data = w + two * config->inputs;
    const float *new_state = r + two * hidden;
    const float *new_bias = b == NULL ? NULL : b + two;
    const float *past_bias = b == NULL ? NULL : state_bias + two;
    float *candidate = scratch + two;
    float *past = scratch + two + hidden;
    nb_first_state(config, first_h, h);
    NB_OVER_STEPS({
        nb_start(b, state_bias, 2 * hidden, scratch);
        nb_add_products(w, from, config->inputs, 2 * hidden, scratch);
        nb_add_products(r, h + at, hidden, 2 * hidden, scratch);
        for (int32_t i = 0; i < 2 * hidden; ++i) {
            scratch[i] = nb_sigmoid(scratch[i]);
        }
        if (config->option != 0) {
            nb_start(new_bias, NULL, hidden, candidate);
            nb_add_products(new_data, from, config->inputs, hidden, candidate);
            nb_start(past_bias, NULL, hidden, past);
            nb_add_products(new_state, h + at, hidden, hidden, past);
            for (int32_t i = 0; i < hidden; ++i) {
                candidate[i] += scratch[hidden + i] * past[i];
            }
        } else {
            for (int32_t i = 0; i < hidden; ++i) {
                past[i] = scratch[hidden + i] * h[at + i];
            }
            nb_start(new_bias, past_bias, hidden, candidate);
            nb_add_products(new_data, from, config->inputs, hidden, candidate);
            nb_add_products(new_state, past, hidden, hidden, candidate);
        }
        for (int32_t i = 0; i < hidden; ++i) {
            const float update = scratch[i];
            const float fresh = (1.0f - update) * nb_tanh(candidate[i]);
            h[at + i] = fresh + update * h[at + i];
        }
    })
}

void nb_lstm_f32(const nb_recurrent_config *config, const float *x, const float *w,
                 const float *r, const float *b, const float *first_h, const float *first_c,
                 const float *peepholes, float *scratch, float *y, float *h, float *c)
{
    const int32_t hidden = config->hidden;
    const float *state_bias = b == NULL ? NULL : b + 4 * (ptrdiff_t)hidden;
    nb_first_state(config, first_h, h);
    nb_first_state(config, first_c, c);
    NB_OVER_STEPS({
        nb_start(b, state_bias, 4 * hidden, scratch);
        nb_add_products(w, from, config->inputs, 4 * hidden, scratch);
        nb_add_products(r, h + at, hidden, 4 * hidden, scratch);
        nb_remember(hidden, peepholes, scratch, h + at, c + at);
    })
}
