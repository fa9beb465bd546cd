/* SPDX-License-Identifier: MIT-0 */
#include "nb_pool.h"

#include "nb_float.h"
#include "nb_taps.h"

#define NB_POOLED 8 /* results along a row that are computed together */

/* Which taps of the window at a place count, and where its first tap lies. */
typedef struct nb_window {
    nb_range depth;
    nb_range height;
    nb_range width;
    ptrdiff_t start;
} nb_window;

static nb_range nb_taps_between(const nb_pool_config *c, int32_t axis, int32_t place,
                                const int32_t *low, const int32_t *high)
{
    const int32_t start = place * c->strides[axis] - c->pads[axis];
    return nb_inside(start, c->dilations[axis], c->kernel[axis], low[axis], high[axis]);
}

static nb_window nb_window_at(const nb_pool_config *c, int32_t depth, int32_t line, int32_t column)
{
    nb_window window;
    window.depth = nb_taps_between(c, 0, depth, c->low, c->high);
    window.height = nb_taps_between(c, 1, line, c->low, c->high);
    window.width = nb_taps_between(c, 2, column, c->low, c->high);
    window.start = ((ptrdiff_t)(depth * c->strides[0] - c->pads[0]) * c->in_dims[1]
                    + (line * c->strides[1] - c->pads[1])) * c->in_dims[2]
        + (column * c->strides[2] - c->pads[2]);
    return window;
}

/* The results along a row for which all columns of the window count. */
static nb_range nb_inner_windows(const nb_pool_config *c)
{
    const int32_t reach = (c->kernel[2] - 1) * c->dilations[2];
    return nb_inside(-c->pads[2], c->strides[2], c->out_dims[2], c->low[2], c->high[2] - reach);
}

static int32_t nb_length(nb_range range)
{
    return range.end - range.first;
}

/* Number of taps that count for a mean, 1 at least. */
static int32_t nb_counted(const nb_pool_config *c, int32_t depth, int32_t line, int32_t column)
{
    const int32_t number =
        nb_length(nb_taps_between(c, 0, depth, c->counted_low, c->counted_high))
        * nb_length(nb_taps_between(c, 1, line, c->counted_low, c->counted_high))
        * nb_length(nb_taps_between(c, 2, column, c->counted_low, c->counted_high));
    return number > 0 ? number : 1;
}

/* Goes over the taps of a window; BODY sees their places as `tap`. */
#define NB_OVER_WINDOW(C, WINDOW, BODY)                                                          \
    for (int32_t kd = (WINDOW).depth.first; kd < (WINDOW).depth.end; ++kd) {                     \
        for (int32_t kh = (WINDOW).height.first; kh < (WINDOW).height.end; ++kh) {               \
            for (int32_t kw = (WINDOW).width.first; kw < (WINDOW).width.end; ++kw) {             \
                const ptrdiff_t tap = (WINDOW).start                                             \
                    + ((ptrdiff_t)kd * (C)->dilations[0] * (C)->in_dims[1]                       \
                       + (ptrdiff_t)kh * (C)->dilations[1]) * (C)->in_dims[2]                    \
                    + (ptrdiff_t)kw * (C)->dilations[2];                                         \
                BODY                                                                             \
            }                                                                                    \
        }                                                                                        \
    }

/* Goes over all results, row by row; BODY sees `depth`, `line`, and x of the channel. */
#define NB_OVER_ROWS(C, BODY)                                                                    \
    const ptrdiff_t channel_size =                                                               \
        (ptrdiff_t)(C)->in_dims[0] * (C)->in_dims[1] * (C)->in_dims[2];                          \
    for (int32_t channel = 0; channel < (C)->channels; ++channel) {                              \
        for (int32_t depth = 0; depth < (C)->out_dims[0]; ++depth) {                             \
            for (int32_t line = 0; line < (C)->out_dims[1]; ++line) {                            \
                BODY                                                                             \
                y += (C)->out_dims[2];                                                           \
            }                                                                                    \
        }                                                                                        \
        x += channel_size;                                                                       \
    }

/* Defines LANES results along a row, whose windows count alike. */
#define NB_POOL_LANES(NAME, LANES, TYPE, START, TERM, FINISH)                                    \
    static void NAME(const nb_pool_config *c, nb_window window, const TYPE *x, float count,      \
                     TYPE *y)                                                                    \
    {                                                                                            \
        const ptrdiff_t step = c->strides[2];                                                    \
        TYPE totals[LANES];                                                                      \
        (void)count;                                                                             \
        for (int32_t i = 0; i < (LANES); ++i) {                                                  \
            totals[i] = (START);                                                                 \
        }                                                                                        \
        NB_OVER_WINDOW(c, window, {                                                              \
            for (int32_t i = 0; i < (LANES); ++i) {                                              \
                const TYPE v = x[tap + i * step];                                                \
                const TYPE total = totals[i];                                                    \
                totals[i] = (TERM);                                                              \
            }                                                                                    \
        })                                                                                       \
        for (int32_t i = 0; i < (LANES); ++i) {                                                  \
            const TYPE total = totals[i];                                                        \
            y[i] = (FINISH);                                                                     \
        }                                                                                        \
    }

#define NB_POOL(NAME, TYPE, START, TERM, FINISH, COUNT)                                          \
    NB_POOL_LANES(NAME##_many, NB_POOLED, TYPE, START, TERM, FINISH)                             \
    NB_POOL_LANES(NAME##_one, 1, TYPE, START, TERM, FINISH)                                      \
    void NAME(const nb_pool_config *config, const TYPE *x, TYPE *y)                              \
    {                                                                                            \
        const nb_range inner = nb_inner_windows(config);                                         \
        NB_OVER_ROWS(config, {                                                                   \
            int32_t column = 0;                                                                  \
            while (column < config->out_dims[2]) {                                               \
                const nb_window window = nb_window_at(config, depth, line, column);              \
                const float count = (COUNT);                                                     \
                if (column >= inner.first && column + NB_POOLED <= inner.end) {                  \
                    NAME##_many(config, window, x, count, y + column);                           \
                    column += NB_POOLED;                                                         \
                } else {                                                                         \
                    NAME##_one(config, window, x, count, y + column);                            \
                    column += 1;                                                                 \
                }                                                                                \
            }                                                                                    \
        })                                                                                       \
    }

NB_POOL(nb_max_pool_f32, float, -NB_INFINITY, nb_max(total, v), total, 0.0f)
NB_POOL(nb_max_pool_i8, int8_t, INT8_MIN, total < v ? v : total, total, 0.0f)
NB_POOL(nb_max_pool_u8, uint8_t, 0u, total < v ? v : total, total, 0.0f)
NB_POOL(nb_average_pool_f32, float, 0.0f, total + v, total / count,
        (float)nb_counted(config, depth, line, column))

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
            const nb_window window = nb_window_at(config, depth, line, column);
            float best = -NB_INFINITY;
            ptrdiff_t place = -1;
            NB_OVER_WINDOW(config, window, {
                const float v = x[tap];
                const int is_new = place < 0 || best < v || (v != v && best == best);
                place = is_new ? tap : place;
                best = nb_max(best, v);
            })
            if (place >= 0 && config->column_major != 0) {
                place = nb_by_columns(config, place);
            }
            y[column] = best;
            *places++ = channel * channel_size + place;
        }
    })
}
