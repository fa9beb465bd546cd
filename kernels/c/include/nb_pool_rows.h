/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_pool_rows: the windows of poolings, row by row.
 */
#ifndef NB_POOL_ROWS_H
#define NB_POOL_ROWS_H

#include "nb_blocks.h"
#include "nb_pool.h"
#include "nb_taps.h"

/* Which taps of the window at a place count, and where its first tap lies. */
typedef struct nb_window {
    nb_range depth;
    nb_range height;
    nb_range width;
    ptrdiff_t start;
    float count; /* taps that count for a mean, 1 at least */
} nb_window;

static nb_range nb_taps_between(const nb_pool_config *c, int32_t axis, int32_t place,
                                const int32_t *low, const int32_t *high)
{
    const int32_t start = place * c->strides[axis] - c->pads[axis];
    return nb_inside(start, c->dilations[axis], c->kernel[axis], low[axis], high[axis]);
}

static int32_t nb_counted(const nb_pool_config *c, int32_t axis, int32_t place)
{
    const nb_range range = nb_taps_between(c, axis, place, c->counted_low, c->counted_high);
    return range.end - range.first;
}

/* The window of the first result of a row, with all its columns. */
static nb_window nb_row_window(const nb_pool_config *c, int32_t depth, int32_t line)
{
    nb_window window;
    window.depth = nb_taps_between(c, 0, depth, c->low, c->high);
    window.height = nb_taps_between(c, 1, line, c->low, c->high);
    window.width.first = 0;
    window.width.end = c->kernel[2];
    window.start = ((ptrdiff_t)(depth * c->strides[0] - c->pads[0]) * c->in_dims[1]
                    + (line * c->strides[1] - c->pads[1])) * c->x_line - c->pads[2];
    window.count = (float)(nb_counted(c, 0, depth) * nb_counted(c, 1, line));
    return window;
}

/* The window at a column of that row, with the columns that count. */
static nb_window nb_window_at(const nb_pool_config *c, const nb_window *row, int32_t column)
{
    nb_window window = *row;
    window.width = nb_taps_between(c, 2, column, c->low, c->high);
    window.start += (ptrdiff_t)column * c->strides[2];
    window.count *= (float)nb_counted(c, 2, column);
    window.count = window.count > 0.0f ? window.count : 1.0f;
    return window;
}

/* Goes over the taps of a window; BODY sees their places as `tap`. */
#define NB_OVER_WINDOW(C, WINDOW, BODY)                                                \
    for (int32_t kd = (WINDOW)->depth.first; kd < (WINDOW)->depth.end; ++kd) {         \
        for (int32_t kh = (WINDOW)->height.first; kh < (WINDOW)->height.end; ++kh) {   \
            ptrdiff_t tap = (WINDOW)->start                                            \
                + ((ptrdiff_t)kd * (C)->dilations[0] * (C)->in_dims[1]                 \
                   + (ptrdiff_t)kh * (C)->dilations[1]) * (C)->x_line                  \
                + (ptrdiff_t)(WINDOW)->width.first * (C)->dilations[2];                \
            for (int32_t kw = (WINDOW)->width.first; kw < (WINDOW)->width.end; ++kw) { \
                BODY                                                                   \
                tap += (C)->dilations[2];                                              \
            }                                                                          \
        }                                                                              \
    }

/* Goes over all results, row by row; BODY sees `depth`, `line`, and x of the channel. */
#define NB_OVER_ROWS(C, BODY)                                                \
    const ptrdiff_t behind = (C)->y_channel                                  \
        - (ptrdiff_t)(C)->out_dims[0] * (C)->out_dims[1] * (C)->out_dims[2]; \
    for (int32_t channel = 0; channel < (C)->channels; ++channel) {          \
        for (int32_t depth = 0; depth < (C)->out_dims[0]; ++depth) {         \
            for (int32_t line = 0; line < (C)->out_dims[1]; ++line) {        \
                const nb_window row = nb_row_window(C, depth, line);         \
                BODY                                                         \
                y += (C)->out_dims[2];                                       \
            }                                                                \
        }                                                                    \
        x += (C)->x_channel;                                                 \
        y += behind;                                                         \
    }

/* Defines LANES results along a row, STEP apart in the input, whose windows count alike. */
#define NB_POOL_LANES(NAME, LANES, STEP, TYPE, START, TERM, FINISH)                            \
    static void NAME(const nb_pool_config *c, const nb_window *window, const TYPE *x, TYPE *y) \
    {                                                                                          \
        TYPE totals[LANES];                                                                    \
        for (int32_t i = 0; i < (LANES); ++i) {                                                \
            totals[i] = (START);                                                               \
        }                                                                                      \
        NB_OVER_WINDOW(c, window, {                                                            \
            NB_OVER_LANES                                                                      \
            for (int32_t i = 0; i < (LANES); ++i) {                                            \
                const TYPE v = x[tap + (ptrdiff_t)i * (STEP)];                                 \
                const TYPE total = totals[i];                                                  \
                totals[i] = (TERM);                                                            \
            }                                                                                  \
        })                                                                                     \
        for (int32_t i = 0; i < (LANES); ++i) {                                                \
            const TYPE total = totals[i];                                                      \
            y[i] = (FINISH);                                                                   \
        }                                                                                      \
    }

#endif
