/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_depthwise_rows: the rows of nb_conv_depthwise, and of what does the same and more.
 *
 * A unit includes it once. nb_all serves both: with NB_WITH_THEN it does what `then` says.
 */
#ifndef NB_CONV_DEPTHWISE_ROWS_H
#define NB_CONV_DEPTHWISE_ROWS_H

#include "nb_conv_taps.h"
#include "nb_finish.h"
#include "nb_parallel.h"
#include "nb_subnormal.h"

/* A row of results: the taps that are inside, and what lies under the first one of these. */
typedef struct nb_line {
    const float *x; /* under column -pad */
    const float *w;
    int32_t taps; /* rows of the kernel */
    int32_t width;
    ptrdiff_t pitch;
    float bias;
    const nb_conv_config *c;
    const float *norm; /* of the channel, as what follows */
    const float *more;
    const float *y;
} nb_line;

/* Does what follows and stores `sum`: COLUMNS vectors of a row, each NEXT behind the one before. */
#define NB_FINISH(LINE, TO, NEXT, COLUMNS, TYPE, KIND)                                          \
    NB_IF_THEN(if ((LINE)->c->then != 0) {                                                      \
        const ptrdiff_t channels = (ptrdiff_t)(LINE)->c->groups * (LINE)->c->out_channels;      \
        const float *more = (LINE)->more;                                                       \
        more = more == NULL ? NULL : more + ((TO) - (LINE)->y);                                 \
        NB_THEN(sum, (LINE)->c, (LINE)->norm, channels, 0, more + j * (NEXT), 1, COLUMNS, TYPE, \
                KIND)                                                                           \
    })                                                                                          \
    NB_STORE_TILE((TO) + j * (NEXT), 1, COLUMNS, KIND)

typedef void (*nb_part)(const nb_line *line, int32_t left, int32_t columns, const float *x,
                        float *y);

/* One result; `left` is the column under its first tap. */
static void nb_single(const nb_conv_config *c, const nb_line *line, int32_t column, float *y)
{
    const int32_t left = column * c->strides[2] - c->pads[2];
    const int32_t first = left < 0 ? -left : 0;
    const int32_t behind = c->in_dims[2] - left;
    const int32_t end = behind < line->width ? behind : line->width;
    const float *x = line->x + (ptrdiff_t)column * c->strides[2];
    const float *w = line->w + first;
    float sum[1][1] = {{line->bias}};
    x += first;
    if (end - first == 2) { /* as at the edges of a kernel of 3 columns */
        for (int32_t kh = line->taps; kh > 0; --kh) {
            sum[0][0] += w[0] * x[0];
            sum[0][0] += w[1] * x[1];
            x += line->pitch;
            w += line->width;
        }
    } else {
        for (int32_t kh = line->taps; kh > 0; --kh) {
            for (int32_t kw = 0; kw < end - first; ++kw) {
                sum[0][0] += w[kw] * x[kw];
            }
            x += line->pitch;
            w += line->width;
        }
    }
    y += column;
    NB_FINISH(line, y, 1, 1, float, NB_ONE)
}

#if NB_VL == 1
/* Defines COUNT results for which all columns of the kernel, WIDTH of them, are inside. */
#define NB_PART(NAME, COUNT, STEP, WIDTH)                                                \
    static void NAME(const nb_line *line, int32_t step, int32_t columns, const float *x, \
                     float *y)                                                           \
    {                                                                                    \
        const float *w = line->w;                                                        \
        float sum[1][COUNT];                                                             \
        (void)columns;                                                                   \
        (void)step;                                                                      \
        NB_UNROLLED                                                                      \
        for (int32_t i = 0; i < (COUNT); ++i) {                                          \
            sum[0][i] = line->bias;                                                      \
        }                                                                                \
        for (int32_t kh = line->taps; kh > 0; --kh) {                                    \
            NB_UNROLLED                                                                  \
            for (int32_t kw = 0; kw < (WIDTH); ++kw) {                                   \
                const float factor = w[kw];                                              \
                NB_UNROLLED                                                              \
                for (int32_t i = 0; i < (COUNT); ++i) {                                  \
                    sum[0][i] += factor * x[kw + i * (STEP)];                            \
                }                                                                        \
            }                                                                            \
            x += line->pitch;                                                            \
            w += (WIDTH);                                                                \
        }                                                                                \
        NB_FINISH(line, y, 1, COUNT, float, NB_ONE)                                      \
    }

#define NB_ALONG 7 /* rows of 2^n results have 2^n - 2 of them inside of edges: 7 divides 14 */

NB_PART(nb_part_1_3, NB_ALONG, 1, 3)
NB_PART(nb_part_2_3, NB_ALONG, 2, 3)
NB_PART(nb_part_any, 4, step, line->width)
#else
typedef int32_t nb_ints __attribute__((vector_size(4 * NB_VL)));

/* NB_ADDED gives a sum with an addend where a column is inside, NB_INSIDE says where that is. */
#if NB_VL == 4 && defined(__ARM_FEATURE_MVE)
typedef mve_pred16_t nb_where;
#define NB_INSIDE(FIRST, LOW, HIGH) /* what is below LOW is large without a sign */ \
    vcmphiq_u32(vdupq_n_u32((uint32_t)((HIGH) - (LOW))),                            \
                vsubq_n_u32((uint32x4_t)(FIRST), (uint32_t)(LOW)))
#define NB_ADDED(SUM, MORE, WHERE) \
    (nb_vec) vaddq_m_f32((float32x4_t)(SUM), (float32x4_t)(SUM), (float32x4_t)(MORE), WHERE)
#else
typedef nb_ints nb_where;
#define NB_INSIDE(FIRST, LOW, HIGH) (((FIRST) >= (LOW)) & ((FIRST) < (HIGH)))
#define NB_ADDED(SUM, MORE, WHERE) \
    (nb_vec)(((nb_ints)((SUM) + (MORE)) & (WHERE)) | ((nb_ints)(SUM) & ~(WHERE)))
#endif

#if NB_VL == 16
#define NB_COUNT {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#define NB_SECONDS 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31
#elif NB_VL == 8
#define NB_COUNT {0, 1, 2, 3, 4, 5, 6, 7}
#define NB_SECONDS 0, 2, 4, 6, 9, 11, 13, 15
#else
#define NB_COUNT {0, 1, 2, 3}
#define NB_SECONDS 0, 2, 5, 7
#endif
/*
 * Every second element. The second vector begins with the last element of the first one, so that
 * nothing is read behind the last element that is taken: it may be the last one of the input.
 */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define NB_LOAD_2(FROM)                                                                   \
    __builtin_shufflevector((nb_vec)NB_LOAD(FROM), (nb_vec)NB_LOAD((FROM) + (NB_VL - 1)), \
                            NB_SECONDS)
#endif
#endif

/* Defines the results of a vector; LOAD takes every first or second element. */
#define NB_PART(NAME, LOAD, WIDTH)                                                       \
    static void NAME(const nb_line *line, int32_t left, int32_t columns, const float *x, \
                     float *y)                                                           \
    {                                                                                    \
        const float *w = line->w;                                                        \
        nb_vec sum[1][1] = {{NB_ALL(line->bias)}};                                       \
        (void)left;                                                                      \
        (void)columns;                                                                   \
        for (int32_t kh = line->taps; kh > 0; --kh) {                                    \
            NB_UNROLLED                                                                  \
            for (int32_t kw = 0; kw < (WIDTH); ++kw) {                                   \
                sum[0][0] += NB_TIMES(LOAD(x + kw), w[kw]);                              \
            }                                                                            \
            x += line->pitch;                                                            \
            w += (WIDTH);                                                                \
        }                                                                                \
        NB_FINISH(line, y, NB_VL, 1, nb_vec, NB)                                         \
    }

/* Two vectors, the second one `left` results behind the first: each weight serves both. */
#define NB_PAIR(NAME, WIDTH)                                                             \
    static void NAME(const nb_line *line, int32_t left, int32_t columns, const float *x, \
                     float *y)                                                           \
    {                                                                                    \
        const float *w = line->w;                                                        \
        nb_vec sum[1][2] = {{NB_ALL(line->bias), NB_ALL(line->bias)}};                   \
        (void)columns;                                                                   \
        for (int32_t kh = line->taps; kh > 0; --kh) {                                    \
            NB_UNROLLED                                                                  \
            for (int32_t kw = 0; kw < (WIDTH); ++kw) {                                   \
                sum[0][0] += NB_TIMES_AT(NB_LOAD(x + kw), w + kw);                       \
                sum[0][1] += NB_TIMES_AT(NB_LOAD(x + kw + left), w + kw);                \
            }                                                                            \
            x += line->pitch;                                                            \
            w += (WIDTH);                                                                \
        }                                                                                \
        NB_FINISH(line, y, left, 2, nb_vec, NB)                                          \
    }

NB_PAIR(nb_pair_1_3, 3)
NB_PAIR(nb_pair_1, line->width)

/* The same at an edge: what is read outside of the `columns` of the input is not added. */
#define NB_EDGE(NAME, LOAD, STEP, WIDTH)                                                 \
    static void NAME(const nb_line *line, int32_t left, int32_t columns, const float *x, \
                     float *y)                                                           \
    {                                                                                    \
        const nb_ints count = NB_COUNT;                                                  \
        const nb_ints first = count * (STEP) + left;                                     \
        const float *w = line->w;                                                        \
        nb_vec sum[1][1] = {{NB_ALL(line->bias)}};                                       \
        for (int32_t kh = line->taps; kh > 0; --kh) {                                    \
            NB_UNROLLED                                                                  \
            for (int32_t kw = 0; kw < (WIDTH); ++kw) {                                   \
                const nb_where is_inside = NB_INSIDE(first, -kw, columns - kw);          \
                const nb_vec more = NB_TIMES(LOAD(x + kw), w[kw]);                       \
                sum[0][0] = NB_ADDED(sum[0][0], more, is_inside);                        \
            }                                                                            \
            x += line->pitch;                                                            \
            w += (WIDTH);                                                                \
        }                                                                                \
        NB_FINISH(line, y, NB_VL, 1, nb_vec, NB)                                         \
    }

NB_PART(nb_part_1_3, NB_LOAD, 3)
NB_PART(nb_part_1, NB_LOAD, line->width)
NB_EDGE(nb_edge_1_3, NB_LOAD, 1, 3)
NB_EDGE(nb_edge_1, NB_LOAD, 1, line->width)
#if defined(NB_LOAD_2)
NB_PART(nb_part_2_3, NB_LOAD_2, 3)
NB_PART(nb_part_2, NB_LOAD_2, line->width)
NB_EDGE(nb_edge_2_3, NB_LOAD_2, 2, 3)
NB_EDGE(nb_edge_2, NB_LOAD_2, 2, line->width)
#endif
#endif

/* How a row is computed: parts, and edges where these are computed several at a time. */
typedef struct nb_way {
    int32_t along; /* results of a part */
    nb_part part;
    nb_part edge;
    nb_part pair; /* two parts side by side, or NULL */
} nb_way;

static nb_way nb_choose(const nb_conv_config *c, const nb_range *inner)
{
    const int is_3 = c->kernel[2] == 3;
    nb_way way = {NB_VL, NULL, NULL, NULL};
#if NB_VL == 1
    way.along = 4;
    way.part = nb_part_any;
    if (is_3 && c->strides[2] <= 2 && inner->end - inner->first >= NB_ALONG) {
        way.along = NB_ALONG;
        way.part = c->strides[2] == 1 ? nb_part_1_3 : nb_part_2_3;
    }
#else
    (void)inner;
    if (c->strides[2] == 1) {
        way.part = is_3 ? nb_part_1_3 : nb_part_1;
        way.edge = is_3 ? nb_edge_1_3 : nb_edge_1;
        way.pair = is_3 ? nb_pair_1_3 : nb_pair_1;
    }
#if defined(NB_LOAD_2)
    if (c->strides[2] == 2) {
        way.part = is_3 ? nb_part_2_3 : nb_part_2;
        way.edge = is_3 ? nb_edge_2_3 : nb_edge_2;
    }
#endif
#endif
    return way;
}

/* Computes a row; with `edge` vectors may read and write what lies around it. */
static void nb_row(const nb_conv_config *c, const nb_line *line, const nb_range *inner,
                   const nb_way *way, nb_part edge, float *y)
{
    const int32_t step = c->strides[2];
    const int32_t width = c->out_dims[2];
    const int32_t last = inner->end - way->along;
    int32_t column = 0;
    while (column < width) {
        const int is_inner = column >= inner->first && column < inner->end && last >= inner->first;
        if (way->pair != NULL && is_inner && column < last) {
            const int32_t next = column + way->along < last ? column + way->along : last;
            way->pair(line, next - column, 0, line->x + (ptrdiff_t)column * step, y + column);
            column = next + way->along;
        } else if (way->part != NULL && is_inner && (edge == NULL || column <= last)) {
            const int32_t first = column < last ? column : last;
            way->part(line, step, 0, line->x + (ptrdiff_t)first * step, y + first);
            column = first + way->along;
        } else if (edge != NULL) {
            int32_t first = column + way->along <= width ? column : width - way->along;
            first = first > 0 ? first : 0;
            edge(line, first * step - c->pads[2], c->in_dims[2],
                 line->x + (ptrdiff_t)first * step, y + first);
            column = first + way->along;
        } else {
            nb_single(c, line, column, y);
            column += 1;
        }
    }
}

/* What lies around a row of the input and of the output, in elements. */
typedef struct nb_around {
    ptrdiff_t before; /* from the start of the input to the channel */
    ptrdiff_t behind; /* from the channel to the end of the input */
    ptrdiff_t left;   /* from the channel of the output to its end */
} nb_around;

static void nb_channel(const nb_conv_config *c, const nb_way *way, const nb_range *inner,
                       const nb_around *around, const nb_line *given, float *y)
{
    const int32_t width = c->out_dims[2] < way->along ? way->along : c->out_dims[2];
    const ptrdiff_t reach = (ptrdiff_t)width * c->strides[2] + c->kernel[2];
    nb_line line = *given;
    for (int32_t row = 0; row < c->out_dims[1]; ++row) {
        const int32_t top = row * c->strides[1] - c->pads[1];
        const int32_t first = top < 0 ? -top : 0;
        const int32_t left = c->in_dims[1] - top;
        const int32_t end = left < c->kernel[1] ? left : c->kernel[1];
        const ptrdiff_t out = (ptrdiff_t)row * c->out_dims[2];
        const ptrdiff_t start = (ptrdiff_t)(top + first) * line.pitch - c->pads[2];
        int has_room = 0;
        line.taps = end > first ? end - first : 0;
        line.w = given->w + (ptrdiff_t)first * line.width;
        line.x = given->x + start;
        has_room = start >= -around->before && out + width <= around->left
            && start + (line.taps - 1) * line.pitch + reach <= around->behind;
        nb_row(c, &line, inner, way, has_room ? way->edge : NULL, y + out);
        if (NB_FLUSHES && nb_was_flushed()) {
            for (int32_t column = 0; column < c->out_dims[2]; ++column) {
                nb_single(c, &line, column, y + out);
            }
            nb_forget();
        }
    }
}

static void nb_all(const nb_conv_config *config, const float *x, const float *w, const float *bias,
                   const float *norm, const float *more, float *y)
{
    const nb_range inner = nb_inner_range(config, 2);
    const nb_way way = nb_choose(config, &inner);
    const int32_t channels = config->groups * config->out_channels;
    const ptrdiff_t in_size = nb_conv_extent(config);
    const ptrdiff_t results = nb_conv_results(config);
    const int is_whole = config->y_channel == results; /* nothing lies between its channels */
    const ptrdiff_t taps = (ptrdiff_t)config->kernel[1] * config->kernel[2];
    const int32_t total = config->batch * channels;
    const uint32_t before = nb_watch();
    /* What is computed together may write behind its channel, into the next one of its part. */
    NB_PARALLEL(total > 1, total * results * taps)
    for (int32_t part = 0; part < NB_PARTS; ++part) {
        const int32_t end = (int32_t)((int64_t)total * (part + 1) / NB_PARTS);
        for (int32_t i = (int32_t)((int64_t)total * part / NB_PARTS); i < end; ++i) {
            const int32_t out = i % channels;
            const ptrdiff_t to = (ptrdiff_t)i * config->y_channel;
            nb_around around;
            around.before = (ptrdiff_t)(i / config->out_channels) * config->x_channel;
            around.behind = in_size - around.before;
            around.left = is_whole ? (end - i) * results : results;
            const nb_line line = {x + around.before, w + out * taps, 0, config->kernel[2],
                                  config->x_line, bias == NULL ? 0.0f : bias[out], config,
                                  norm == NULL ? NULL : norm + out,
                                  more == NULL ? NULL : more + to, y + to};
            nb_channel(config, &way, &inner, &around, &line, y + to);
        }
    }
    nb_unwatch(before);
}

#endif
