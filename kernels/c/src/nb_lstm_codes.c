/* SPDX-License-Identifier: MIT-0 */
#include "nb_lstm_codes.h"

#include "nb_long.h"
#include "nb_quantize.h"

#define NB_COLUMNS 8 /* sums that are added up side by side */

/* Codes and how they are coded. */
typedef struct nb_coded {
    const uint8_t *codes;
    float scale;
    uint8_t zero;
} nb_coded;

static nb_coded nb_coded_of(const float *x, int32_t count, uint8_t *codes)
{
    const nb_dynamic_quantize_config all = {count};
    nb_coded found = {codes, 0.0f, 0};
    nb_dynamic_quantize_u8(&all, x, codes, &found.scale, &found.zero);
    return found;
}

static void nb_start_state(const float *first, int32_t count, float *state)
{
    for (int32_t i = 0; i < count; ++i) {
        state[i] = first == NULL ? 0.0f : first[i];
    }
}

#define NB_LSTM_CODES(SUFFIX, TYPE)                                                                \
    /* Adds the scaled sums of products of codes and `count` columns of weights to `sums`. */      \
    static void nb_add_scaled_##SUFFIX(const nb_coded *data, ptrdiff_t first, int32_t size,        \
                                       const TYPE *w, const float *scale, const TYPE *zero,        \
                                       int32_t step, int32_t count, float *sums)                   \
    {                                                                                              \
        const uint8_t *codes = data->codes + first;                                                \
        for (int32_t column = 0; column < count; column += NB_COLUMNS) {                           \
            const int32_t rest = count - column;                                                   \
            const int32_t side = rest < NB_COLUMNS ? rest : NB_COLUMNS;                            \
            uint32_t totals[NB_COLUMNS] = {0u};                                                    \
            for (int32_t k = 0; k < size; ++k) {                                                   \
                const int32_t factor = codes[k] - data->zero;                                      \
                const TYPE *from = w + (ptrdiff_t)k * count + column;                              \
                for (int32_t i = 0; i < side; ++i) {                                               \
                    totals[i] += (uint32_t)(factor * (from[i] - zero[(column + i) * step]));       \
                }                                                                                  \
            }                                                                                      \
            for (int32_t i = 0; i < side; ++i) {                                                   \
                const float by = data->scale * scale[(column + i) * step];                         \
                sums[column + i] += (float)(int32_t)totals[i] * by;                                \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    void nb_lstm_codes_##SUFFIX(const nb_lstm_codes_config *config, const float *x, const TYPE *w, \
                                const float *w_scale, const TYPE *w_zero, const TYPE *r,           \
                                const float *r_scale, const TYPE *r_zero, const float *b,          \
                                const float *first_h, const float *first_c,                        \
                                const float *peepholes, uint8_t *codes, float *sums, float *y,     \
                                float *h, float *c)                                                \
    {                                                                                              \
        const int32_t hidden = config->hidden;                                                     \
        const int32_t states = config->batch * hidden;                                             \
        const int32_t step_size = config->batch * config->inputs;                                  \
        const nb_coded data = nb_coded_of(x, config->steps * step_size, codes);                    \
        nb_start_state(first_h, states, h);                                                        \
        nb_start_state(first_c, states, c);                                                        \
        for (int32_t turn = 0; turn < config->steps; ++turn) {                                     \
            const ptrdiff_t step = config->backwards != 0 ? config->steps - 1 - turn : turn;       \
            const nb_coded state =                                                                 \
                nb_coded_of(h, states, codes + (ptrdiff_t)config->steps * step_size);              \
            for (int32_t sample = 0; sample < config->batch; ++sample) {                           \
                const ptrdiff_t at = (ptrdiff_t)sample * hidden;                                   \
                const ptrdiff_t first = step * step_size + (ptrdiff_t)sample * config->inputs;     \
                for (int32_t i = 0; i < 4 * hidden; ++i) {                                         \
                    sums[i] = 0.0f;                                                                \
                }                                                                                  \
                nb_add_scaled_##SUFFIX(&data, first, config->inputs, w, w_scale, w_zero,           \
                                       config->w_step, 4 * hidden, sums);                          \
                nb_add_scaled_##SUFFIX(&state, at, hidden, r, r_scale, r_zero, config->r_step,     \
                                       4 * hidden, sums);                                          \
                for (int32_t i = 0; b != NULL && i < 4 * hidden; ++i) {                            \
                    sums[i] += b[i] + b[4 * hidden + i];                                           \
                }                                                                                  \
                nb_remember(hidden, peepholes, sums, h + at, c + at);                              \
                for (int32_t i = 0; y != NULL && i < hidden; ++i) {                                \
                    y[step * config->y_step + at + i] = h[at + i];                                 \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

NB_LSTM_CODES(i8, int8_t)
NB_LSTM_CODES(u8, uint8_t)
