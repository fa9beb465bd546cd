/* SPDX-License-Identifier: MIT-0 */
#include "nb_fixed_more.h"

#include "nb_curve.h"

static inline int8_t nb_square_of(int32_t u, int32_t v, const int32_t *by)
{
    const int32_t left = nb_rescaled((u - by[0]) * (1 << 7), by[2], by[3]);
    const int32_t right = nb_rescaled((v - by[1]) * (1 << 7), by[4], by[5]);
    const int32_t square = (left - right) * (left - right);
    return nb_code(nb_rescaled(square, by[6], by[7]), by[8], INT8_MIN, INT8_MAX);
}

void nb_square_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                        const int32_t *by, int8_t *y)
NB_BINARY_BODY(int8_t, int8_t, nb_square_of(u, v, by))

static inline int8_t nb_prelu_of(int32_t u, int32_t v, const int32_t *by)
{
    const int32_t x = u - by[0];
    const int32_t whole = x >= 0 ? nb_rescaled(x, by[2], by[3])
                                 : nb_rescaled(x * (v - by[1]), by[4], by[5]);
    return nb_code(whole, by[6], INT8_MIN, INT8_MAX);
}

void nb_prelu_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                       const int32_t *by, int8_t *y)
NB_BINARY_BODY(int8_t, int8_t, nb_prelu_of(u, v, by))

/* The number of bits from the first that is set. */
static int32_t nb_length(uint32_t x)
{
    int32_t length = 0;
    while (x >> length != 0u) {
        ++length;
    }
    return length;
}

static int8_t nb_quotient_of(int32_t u, int32_t v, const int32_t *inverses, const int32_t *by)
{
    const int32_t left = u - by[0];
    const int32_t right = v - by[1];
    if (right == 0) {
        return nb_code(left > 0 ? 65536 : left < 0 ? -65536 : 0, by[4], by[5], by[6]);
    }
    const int32_t size = right < 0 ? -right : right;
    const int32_t above = right < 0 ? -left : left;
    const int32_t room = 31 - nb_length((uint32_t)(above < 0 ? ~above : above));
    const int32_t wide = (int32_t)((int64_t)above * ((int64_t)1 << room));
    const int32_t quotient = nb_high_product(nb_high_product(wide, inverses[size]), by[2]);
    const int32_t places = nb_length((uint32_t)size) - 1 + room - by[3];
    const int32_t whole = places > 31 ? 0 : nb_divided(quotient, places > 0 ? places : 0);
    return nb_code(whole, by[4], by[5], by[6]);
}

void nb_div_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                     const int32_t *inverses, const int32_t *by, int8_t *y)
NB_BINARY_BODY(int8_t, int8_t, nb_quotient_of(u, v, inverses, by))

void nb_bilinear_fixed_i8(const nb_bilinear_config *config, const int8_t *x, const int32_t *rows,
                          const int32_t *columns, int8_t *y)
{
    const ptrdiff_t width = config->in_columns;
    for (int32_t image = 0; image < config->images; ++image) {
        for (int32_t row = 0; row < config->rows; ++row) {
            const int32_t *down = rows + 3 * (ptrdiff_t)row;
            const int8_t *upper = x + down[0] * width;
            const int8_t *lower = x + down[1] * width;
            for (int32_t column = 0; column < config->columns; ++column) {
                const int32_t *right = columns + 3 * (ptrdiff_t)column;
                const int64_t left_part = (int64_t)upper[right[0]] * (1024 - down[2]) +
                                          (int64_t)lower[right[0]] * down[2];
                const int64_t right_part = (int64_t)upper[right[1]] * (1024 - down[2]) +
                                           (int64_t)lower[right[1]] * down[2];
                const int64_t sum = left_part * (1024 - right[2]) + right_part * right[2];
                *y++ = (int8_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
            }
        }
        x += config->in_rows * width;
    }
}

static int32_t nb_kept_sum(int32_t a, int32_t b)
{
    return nb_code_wide(a, b, INT16_MIN, INT16_MAX);
}

/*
 * Defines an LSTM of codes. The state is the result of the step before; without one all its codes
 * are the zero point.
 */
#define NB_LSTM(NAME, TYPE, BIAS, SUM, SCALED, CODE, LEAST, MOST)                                  \
    static int16_t NAME##_gate(const nb_lstm_fixed_config *c, const TYPE *x, const int8_t *w,      \
                               const TYPE *state, const int8_t *r, BIAS bias,                      \
                               const int32_t *by)                                                  \
    {                                                                                              \
        SUM sum = (SUM)bias;                                                                       \
        SUM back = 0;                                                                              \
        for (int32_t k = 0; k < c->inputs; ++k) {                                                  \
            sum += (SUM)((x[k] - c->x_zero) * w[k]);                                               \
        }                                                                                          \
        for (int32_t k = 0; state != NULL && k < c->units; ++k) {                                  \
            back += (SUM)((state[k] - c->y_zero) * r[k]);                                          \
        }                                                                                          \
        const int32_t given = nb_kept_sum(SCALED(sum, by[0], by[1]), 0);                           \
        return (int16_t)nb_kept_sum(given, nb_kept_sum(SCALED(back, by[8], by[9]), 0));            \
    }                                                                                              \
                                                                                                   \
    static void NAME##_step(const nb_lstm_fixed_config *c, const int32_t *by,                      \
                            const uint16_t *table, int16_t *work, TYPE *y)                         \
    {                                                                                              \
        const int32_t units = c->units;                                                            \
        int16_t *cell = work + 4 * (ptrdiff_t)units;                                               \
        for (int32_t unit = 0; unit < units; ++unit) {                                             \
            const int32_t input = nb_sigmoid_at(table, 3 * work[unit]);                            \
            const int32_t forget = nb_sigmoid_at(table, 3 * work[units + unit]);                   \
            const int32_t shown = nb_tangent_at(table, 3 * work[2 * units + unit]);                \
            const int32_t output = nb_sigmoid_at(table, 3 * work[3 * units + unit]);               \
            const int32_t old = nb_rescaled(forget * cell[unit], by[16], by[17]);                  \
            const int32_t kept = nb_kept_sum(old, 0);                                              \
            const int32_t added = nb_kept_sum(nb_rescaled(input * shown, by[18], by[19]), 0);      \
            const int32_t whole = nb_kept_sum(kept, added);                                        \
            const int32_t bound = by[24] != 0 ? by[24] : 32768;                                    \
            cell[unit] = nb_code_wide(whole, 0, -bound, bound < 32767 ? bound : 32767);            \
            const int32_t seen = nb_tangent_at(table, nb_place(cell[unit], by[22], by[23]));       \
            y[unit] = CODE(nb_rescaled(seen * output, by[20], by[21]), c->y_zero, LEAST, MOST);    \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void NAME(const nb_lstm_fixed_config *config, const TYPE *x, const int8_t *w,                  \
              const int8_t *r, const BIAS *bias, const int32_t *by, const uint16_t *table,         \
              int16_t *work, TYPE *y)                                                              \
    {                                                                                              \
        const nb_lstm_fixed_config *c = config;                                                    \
        for (int32_t sample = 0; sample < c->batch; ++sample) {                                    \
            const TYPE *state = NULL;                                                              \
            for (int32_t unit = 0; unit < c->units; ++unit) {                                      \
                work[4 * c->units + unit] = 0;                                                     \
            }                                                                                      \
            for (int32_t step = 0; step < c->steps; ++step) {                                      \
                const TYPE *data = x + (ptrdiff_t)sample * c->x_batch                              \
                    + (ptrdiff_t)step * c->x_step;                                                 \
                TYPE *result = y + (ptrdiff_t)sample * c->y_batch                                  \
                    + (ptrdiff_t)step * c->y_step;                                                 \
                for (int32_t line = 0; line < 4 * c->units; ++line) {                              \
                    work[line] = NAME##_gate(c, data, w + (ptrdiff_t)line * c->inputs, state,      \
                                             r + (ptrdiff_t)line * c->units, bias[line],           \
                                             by + 2 * (line / c->units));                          \
                }                                                                                  \
                NAME##_step(c, by, table, work, result);                                           \
                state = result;                                                                    \
            }                                                                                      \
        }                                                                                          \
    }

NB_LSTM(nb_lstm_fixed_i8, int8_t, int32_t, int32_t, nb_rescaled, nb_code, INT8_MIN, INT8_MAX)
NB_LSTM(nb_lstm_wide, int16_t, int64_t, int64_t, nb_rescaled_wide, nb_code_wide, INT16_MIN,
        INT16_MAX)
