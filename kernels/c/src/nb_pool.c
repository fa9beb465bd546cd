/* SPDX-License-Identifier: MIT-0 */
#include "nb_pool.h"

#include "nb_pool_rows.h"
#include "nb_vec.h"

#define NB_POOLED 16 /* results along a row that are computed together */
#define NB_FEW 4     /* the same in short rows */

/* The window at a column of that row for which all columns count. */
static nb_window nb_inner_window(const nb_pool_config *c, const nb_window *row, int32_t column)
{
    nb_window window = *row;
    window.start += (ptrdiff_t)column * c->strides[2];
    window.count *= (float)c->kernel[2];
    window.count = window.count > 0.0f ? window.count : 1.0f;
    return window;
}

/* The results along a row for which all columns of the window count. */
static nb_range nb_inner_windows(const nb_pool_config *c)
{
    const int32_t reach = (c->kernel[2] - 1) * c->dilations[2];
    return nb_inside(-c->pads[2], c->strides[2], c->out_dims[2], c->low[2], c->high[2] - reach);
}

/* Defines windows of SIZE by SIZE, 2 apart, that lie inside: whole rows of results. */
#define NB_POOL_WHOLE(NAME, SIZE, TYPE, START, TERM, FINISH)                                   \
    static void NAME(const nb_pool_config *c, const TYPE *restrict x, TYPE *restrict y)        \
    {                                                                                          \
        const ptrdiff_t width = c->x_line;                                                     \
        const nb_window all = {{0, 1}, {0, (SIZE)}, {0, (SIZE)}, 0, (float)((SIZE) * (SIZE))}; \
        const nb_window *window = &all;                                                        \
        (void)window;                                                                          \
        for (int32_t channel = 0; channel < c->channels; ++channel) {                          \
            const TYPE *from = x;                                                              \
            TYPE *to = y;                                                                      \
            for (int32_t line = 0; line < c->out_dims[1]; ++line) {                            \
                for (int32_t i = 0; i < c->out_dims[2]; ++i) {                                 \
                    TYPE total = (START);                                                      \
                    NB_UNROLLED                                                                \
                    for (int32_t kh = 0; kh < (SIZE); ++kh) {                                  \
                        NB_UNROLLED                                                            \
                        for (int32_t kw = 0; kw < (SIZE); ++kw) {                              \
                            const TYPE v = from[kh * width + 2 * i + kw];                      \
                            total = (TERM);                                                    \
                        }                                                                      \
                    }                                                                          \
                    to[i] = (FINISH);                                                          \
                }                                                                              \
                from += 2 * width;                                                             \
                to += c->out_dims[2];                                                          \
            }                                                                                  \
            x += c->x_channel;                                                                 \
            y += c->y_channel;                                                                 \
        }                                                                                      \
    }

/* Whether all windows are squares of that size, 2 apart, inside of the input. */
static int nb_is_whole(const nb_pool_config *c, int32_t size)
{
    const int is_flat = c->in_dims[0] == 1 && c->out_dims[0] == 1 && c->kernel[0] == 1;
    int is_whole = is_flat && c->pads[0] == 0 && c->low[0] == 0 && c->high[0] == 1;
    for (int32_t axis = 1; axis < 3; ++axis) {
        const int32_t end = 2 * (c->out_dims[axis] - 1) + size;
        is_whole = is_whole && c->kernel[axis] == size && c->strides[axis] == 2
            && c->dilations[axis] == 1 && c->pads[axis] == 0 && c->low[axis] == 0
            && end <= c->high[axis];
    }
    return is_whole;
}

/* The last piece of a row may compute some results again, to the same bits. */
#define NB_POOL(NAME, TYPE, START, TERM, FINISH)                                              \
    NB_POOL_LANES(NAME##_one, 1, 1, TYPE, START, TERM, FINISH)                                \
    NB_POOL_LANES(NAME##_by_1, NB_POOLED, 1, TYPE, START, TERM, FINISH)                       \
    NB_POOL_LANES(NAME##_by_2, NB_POOLED, 2, TYPE, START, TERM, FINISH)                       \
    NB_POOL_LANES(NAME##_few_by_1, NB_FEW, 1, TYPE, START, TERM, FINISH)                      \
    NB_POOL_LANES(NAME##_few_by_2, NB_FEW, 2, TYPE, START, TERM, FINISH)                      \
    NB_POOL_WHOLE(NAME##_whole_2, 2, TYPE, START, TERM, FINISH)                               \
    NB_POOL_WHOLE(NAME##_whole_3, 3, TYPE, START, TERM, FINISH)                               \
    void NAME(const nb_pool_config *config, const TYPE *x, TYPE *y)                           \
    {                                                                                         \
        typedef void (*nb_piece)(const nb_pool_config *, const nb_window *, const TYPE *,     \
                                 TYPE *);                                                     \
        const nb_range inner = nb_inner_windows(config);                                      \
        const int32_t step = config->strides[2];                                              \
        const int32_t count = inner.end - inner.first;                                        \
        const int32_t lanes = count >= NB_POOLED ? NB_POOLED : NB_FEW;                        \
        const int has_pieces = step <= 2 && count >= lanes;                                   \
        const nb_piece many = step == 1 ? NAME##_by_1 : NAME##_by_2;                          \
        const nb_piece few = step == 1 ? NAME##_few_by_1 : NAME##_few_by_2;                   \
        const nb_piece piece = lanes == NB_POOLED ? many : few;                               \
        if (nb_is_whole(config, 2) || nb_is_whole(config, 3)) {                               \
            (config->kernel[2] == 2 ? NAME##_whole_2 : NAME##_whole_3)(config, x, y);         \
            return;                                                                           \
        }                                                                                     \
        NB_OVER_ROWS(config, {                                                                \
            int32_t column = 0;                                                               \
            while (column < config->out_dims[2]) {                                            \
                if (has_pieces && column >= inner.first && column < inner.end) {              \
                    const int32_t last = inner.end - lanes;                                   \
                    const int32_t first = column < last ? column : last;                      \
                    const nb_window window = nb_inner_window(config, &row, first);            \
                    piece(config, &window, x, y + first);                                     \
                    column = first + lanes;                                                   \
                } else {                                                                      \
                    const nb_window window = nb_window_at(config, &row, column);              \
                    NAME##_one(config, &window, x, y + column);                               \
                    column += 1;                                                              \
                }                                                                             \
            }                                                                                 \
        })                                                                                    \
    }

NB_POOL(nb_max_pool_f32, float, -NB_INFINITY, nb_max(total, v), total)
NB_POOL(nb_average_pool_f32, float, 0.0f, total + v, total / window->count)
