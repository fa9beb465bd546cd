/* SPDX-License-Identifier: MIT-0 */
#include "nb_pool_more.h"

#include "nb_pool_rows.h"

/* Defines the kernel of a type that is rarely pooled: one result after the other. */
#define NB_POOL_PLAIN(NAME, TYPE, START, TERM, FINISH)                         \
    NB_POOL_LANES(NAME##_one, 1, 1, TYPE, START, TERM, FINISH)                 \
    void NAME(const nb_pool_config *config, const TYPE *x, TYPE *y)            \
    {                                                                          \
        NB_OVER_ROWS(config, {                                                 \
            for (int32_t column = 0; column < config->out_dims[2]; ++column) { \
                const nb_window window = nb_window_at(config, &row, column);   \
                NAME##_one(config, &window, x, y + column);                    \
            }                                                                  \
        })                                                                     \
    }

NB_POOL_PLAIN(nb_max_pool_i8, int8_t, INT8_MIN, total < v ? v : total, total)
NB_POOL_PLAIN(nb_max_pool_i16, int16_t, INT16_MIN, total < v ? v : total, total)
NB_POOL_PLAIN(nb_max_pool_u8, uint8_t, 0u, total < v ? v : total, total)
NB_POOL_PLAIN(nb_max_pool_u16, uint16_t, 0u, total < v ? v : total, total)

/* Means of codes; VALUE makes one of `mean`, in steps of the scale of y. */
#define NB_AVERAGE_CODES(NAME, X, Y, VALUE)                                                     \
    void NAME(const nb_pool_config *config, const X *x, const float *by, Y *y)                  \
    {                                                                                           \
        NB_OVER_ROWS(config, {                                                                  \
            for (int32_t column = 0; column < config->out_dims[2]; ++column) {                  \
                const nb_window window = nb_window_at(config, &row, column);                    \
                float total = 0.0f;                                                             \
                NB_OVER_WINDOW(config, &window, { total += by[0] * ((float)x[tap] - by[1]); })  \
                const float mean = total / window.count / by[2];                                \
                y[column] = (Y)(VALUE);                                                         \
            }                                                                                   \
        })                                                                                      \
    }
#define NB_AVERAGE_NARROW(NAME, TYPE)  \
    NB_AVERAGE_CODES(NAME, TYPE, TYPE, \
                     nb_within(nb_rint(mean + by[3]), NB_LEAST(TYPE), NB_LARGEST(TYPE)))
#define NB_AVERAGE_MIXED(SUFFIX, X, Y)                       \
    NB_AVERAGE_CODES(nb_average_pool_mixed_##SUFFIX, X, Y,   \
                     NB_MIXED_CODE(Y, mean, (int32_t)by[3]))

NB_AVERAGE_NARROW(nb_average_pool_i8, int8_t)
NB_AVERAGE_NARROW(nb_average_pool_u8, uint8_t)
NB_MIXED_CODES(NB_AVERAGE_MIXED)

/* Turns a place counted row by row into one counted column by column. */
static ptrdiff_t nb_by_columns(const nb_pool_config *c, ptrdiff_t place)
{
    const ptrdiff_t width = c->in_dims[2];
    const ptrdiff_t height = c->in_dims[1];
    const ptrdiff_t column = place % width;
    const ptrdiff_t line = (place / width) % height;
    const ptrdiff_t depth = place / (width * height);
    return depth + c->in_dims[0] * (line + height * column);
}

void nb_max_pool_places_f32(const nb_pool_config *config, const float *x, float *y,
                            int64_t *places)
{
    NB_OVER_ROWS(config, {
        for (int32_t column = 0; column < config->out_dims[2]; ++column) {
            const nb_window window = nb_window_at(config, &row, column);
            float best = -NB_INFINITY;
            ptrdiff_t place = -1;
            NB_OVER_WINDOW(config, &window, {
                const float v = x[tap];
                const int is_new = place < 0 || best < v || (v != v && best == best);
                place = is_new ? tap : place;
                best = nb_max(best, v);
            })
            if (place >= 0 && config->column_major != 0) {
                place = nb_by_columns(config, place);
            }
            y[column] = best;
            *places++ = channel * (ptrdiff_t)config->x_channel + place;
        }
    })
}
