/* SPDX-License-Identifier: MIT-0 */
#include "nb_pool.h"

#include "nb_blocks.h"
#include "nb_taps.h"
#include "nb_vec.h"

#define NB_POOLED 16 /* results along a row that are computed together */
#define NB_FEW 4     /* the same in short rows */

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

/* The same one by one: for types that are rarely pooled. */
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

NB_POOL(nb_max_pool_f32, float, -NB_INFINITY, nb_max(total, v), total)
NB_POOL_PLAIN(nb_max_pool_i8, int8_t, INT8_MIN, total < v ? v : total, total)
NB_POOL_PLAIN(nb_max_pool_i16, int16_t, INT16_MIN, total < v ? v : total, total)
NB_POOL_PLAIN(nb_max_pool_u8, uint8_t, 0u, total < v ? v : total, total)
NB_POOL_PLAIN(nb_max_pool_u16, uint16_t, 0u, total < v ? v : total, total)
NB_POOL(nb_average_pool_f32, float, 0.0f, total + v, total / window->count)

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
