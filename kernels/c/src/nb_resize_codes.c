/* SPDX-License-Identifier: MIT-0 */
#include "nb_resize_codes.h"

/* sum / 2^22, to the nearest whole number, to even on ties. */
static int32_t nb_mean(int32_t sum)
{
    const int32_t half = 1 << 21;
    const int32_t rest = sum & ((1 << 22) - 1);
    const int32_t whole = (sum - rest) / (1 << 22);
    return whole + (rest > half || (rest == half && (whole & 1) != 0) ? 1 : 0);
}

#define NB_RESIZE_CODES(SUFFIX, TYPE)                                                             \
    void nb_resize_codes_##SUFFIX(const nb_resize_codes_config *config, const TYPE *x,            \
                                  const int32_t *row_places, const int32_t *row_weights,          \
                                  const int32_t *column_places, const int32_t *column_weights,    \
                                  TYPE *y)                                                        \
    {                                                                                             \
        const nb_resize_codes_config *c = config;                                                 \
        const ptrdiff_t line = (ptrdiff_t)c->in_columns * c->inner;                               \
        const ptrdiff_t row_step = line * c->middle;                                              \
        for (int32_t outer = 0; outer < c->outer; ++outer) {                                      \
            for (int32_t row = 0; row < c->rows; ++row) {                                         \
                for (int32_t middle = 0; middle < c->middle; ++middle) {                          \
                    for (int32_t column = 0; column < c->columns; ++column) {                     \
                        for (int32_t i = 0; i < c->inner; ++i) {                                  \
                            int32_t sum = -c->zero * (1 << 22);                                   \
                            for (int32_t down = row; down < c->row_taps * c->rows;                \
                                 down += c->rows) {                                               \
                                const TYPE *from =                                                \
                                    x + row_places[down] * row_step + middle * line + i;          \
                                int32_t part = 0;                                                 \
                                for (int32_t right = column;                                      \
                                     right < c->column_taps * c->columns; right += c->columns) {  \
                                    part += column_weights[right]                                 \
                                        * from[(ptrdiff_t)column_places[right] * c->inner];       \
                                }                                                                 \
                                sum += row_weights[down] * part;                                  \
                            }                                                                     \
                            *y++ = (TYPE)(nb_mean(sum) + c->zero);                                \
                        }                                                                         \
                    }                                                                             \
                }                                                                                 \
            }                                                                                     \
            x += row_step * c->in_rows;                                                           \
        }                                                                                         \
    }

NB_RESIZE_CODES(i8, int8_t)
NB_RESIZE_CODES(u8, uint8_t)
