/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv.h"

#include "nb_blocks.h"
#include "nb_conv_taps.h"

typedef void (*nb_piece)(const nb_conv_config *c, const nb_conv_steps *s,
                         const nb_conv_place *place, int32_t left, const float *x, const float *w,
                         float bias, float *y);

/*
 * Defines LANES results along a row, STEP apart in the input, for which all columns of the kernel
 * are inside; these are WIDTH, and DILATION apart.
 */
#define NB_PIECE(NAME, LANES, STEP, WIDTH, DILATION)                                           \
    static void NAME(const nb_conv_config *c, const nb_conv_steps *s,                          \
                     const nb_conv_place *place, int32_t left, const float *x, const float *w, \
                     float bias, float *y)                                                     \
    {                                                                                          \
        const ptrdiff_t step = (STEP);                                                         \
        float sum[LANES];                                                                      \
        (void)left;                                                                            \
        for (int32_t i = 0; i < (LANES); ++i) {                                                \
            sum[i] = bias;                                                                     \
        }                                                                                      \
        NB_OVER_LINES(c, s, place, 1, {                                                        \
            for (int32_t kw = 0; kw < (WIDTH); ++kw) {                                         \
                const float factor = w[line_tap + kw];                                         \
                const float *from = x + (line_data + kw * (DILATION));                         \
                NB_OVER_LANES                                                                  \
                for (int32_t i = 0; i < (LANES); ++i) {                                        \
                    sum[i] += factor * from[i * step];                                         \
                }                                                                              \
            }                                                                                  \
        })                                                                                     \
        for (int32_t i = 0; i < (LANES); ++i) {                                                \
            y[i] = sum[i];                                                                     \
        }                                                                                      \
    }

/*
 * The same for results of which some lie at an edge, or behind it. What is read beyond the edge,
 * from the neighbouring rows, is not added. `left` is the column under the first tap.
 */
#define NB_EDGE(NAME, LANES, STEP, WIDTH, DILATION)                                            \
    static void NAME(const nb_conv_config *c, const nb_conv_steps *s,                          \
                     const nb_conv_place *place, int32_t left, const float *x, const float *w, \
                     float bias, float *y)                                                     \
    {                                                                                          \
        const uint32_t size = (uint32_t)c->in_dims[2];                                         \
        float sum[LANES];                                                                      \
        for (int32_t i = 0; i < (LANES); ++i) {                                                \
            sum[i] = bias;                                                                     \
        }                                                                                      \
        NB_OVER_LINES(c, s, place, 1, {                                                        \
            for (int32_t kw = 0; kw < (WIDTH); ++kw) {                                         \
                const float factor = w[line_tap + kw];                                         \
                const float *from = x + (line_data + kw * (DILATION));                         \
                const uint32_t column = (uint32_t)(left + kw * (int32_t)(DILATION));           \
                NB_OVER_LANES                                                                  \
                for (int32_t i = 0; i < (LANES); ++i) {                                        \
                    const float more = sum[i] + factor * from[i * (STEP)];                     \
                    sum[i] = column + (uint32_t)(i * (STEP)) < size ? more : sum[i];           \
                }                                                                              \
            }                                                                                  \
        })                                                                                     \
        for (int32_t i = 0; i < (LANES); ++i) {                                                \
            y[i] = sum[i];                                                                     \
        }                                                                                      \
    }

/* Pieces and edges of all sizes, for a step and a kernel. */
#define NB_PIECES(SUFFIX, STEP, WIDTH, DILATION)                      \
    NB_PIECE(nb_piece_a##SUFFIX, NB_LANES, STEP, WIDTH, DILATION)     \
    NB_PIECE(nb_piece_b##SUFFIX, NB_LANES / 2, STEP, WIDTH, DILATION) \
    NB_PIECE(nb_piece_c##SUFFIX, NB_LANES / 4, STEP, WIDTH, DILATION) \
    NB_EDGE(nb_edge_a##SUFFIX, NB_LANES, STEP, WIDTH, DILATION)       \
    NB_EDGE(nb_edge_b##SUFFIX, NB_LANES / 2, STEP, WIDTH, DILATION)   \
    NB_EDGE(nb_edge_c##SUFFIX, NB_LANES / 4, STEP, WIDTH, DILATION)

NB_PIECES(1, 1, c->kernel[2], s->column)
NB_PIECES(2, 2, c->kernel[2], s->column)
NB_PIECES(1_by_3, 1, 3, 1)
NB_PIECES(2_by_3, 2, 3, 1)
NB_PIECE(nb_piece_any, NB_LANES / 4, c->strides[2], c->kernel[2], s->column)

/* One result, with the columns of the kernel that are inside. */
static void nb_single(const nb_conv_config *c, const nb_conv_steps *s, const nb_conv_place *place,
                      const float *x, const float *w, float bias, float *y)
{
    float sum = bias;
    NB_OVER_LINES(c, s, place, 1, {
        for (int32_t kw = place->width.first; kw < place->width.end; ++kw) {
            sum += w[line_tap + kw] * x[line_data + kw * s->column];
        }
    })
    *y = sum;
}

/* How rows are cut into pieces: `edge` is NULL where edges are computed one by one. */
typedef struct nb_cut {
    int32_t lanes;
    nb_piece piece;
    nb_piece edge;
} nb_cut;

#define NB_CUTS(SUFFIX)                                        \
    {                                                          \
        {NB_LANES / 4, nb_piece_c##SUFFIX, nb_edge_c##SUFFIX}, \
        {NB_LANES / 2, nb_piece_b##SUFFIX, nb_edge_b##SUFFIX}, \
        {NB_LANES, nb_piece_a##SUFFIX, nb_edge_a##SUFFIX},     \
    }

/* Chooses the smallest pieces that hold a row, or the largest that there are. */
static nb_cut nb_choose_cut(const nb_conv_config *c)
{
    static const nb_cut choices[4][3] = {NB_CUTS(1), NB_CUTS(2), NB_CUTS(1_by_3), NB_CUTS(2_by_3)};
    static const nb_cut other = {NB_LANES / 4, nb_piece_any, NULL};
    const int32_t by_3 = c->kernel[2] == 3 && c->dilations[2] == 1 ? 2 : 0;
    int32_t i = 0;
    if (c->strides[2] > 2) {
        return other;
    }
    while (i < 2 && choices[0][i].lanes < c->out_dims[2]) {
        ++i;
    }
    return choices[by_3 + c->strides[2] - 1][i];
}

/* What a row is computed from, and what lies around that. */
typedef struct nb_source {
    const float *x;   /* the first input channel of the group */
    const float *w;   /* the weights of the output channel */
    float bias;
    ptrdiff_t before; /* elements of the input before x */
    ptrdiff_t behind; /* elements from x to the end of the input */
} nb_source;

/* Whether all that an edge piece reads, and what it writes, lies in the tensors. */
static int nb_has_room(const nb_conv_config *c, const nb_conv_steps *s, const nb_conv_place *place,
                       const nb_source *source, int32_t lanes, ptrdiff_t out_left)
{
    const ptrdiff_t first =
        place->start + place->depth.first * s->depth + place->height.first * s->line;
    const ptrdiff_t last = place->start + (c->in_channels - 1) * s->channel
        + (place->depth.end - 1) * s->depth + (place->height.end - 1) * s->line
        + (c->kernel[2] - 1) * s->column + (ptrdiff_t)(lanes - 1) * c->strides[2];
    return first >= -source->before && last < source->behind && lanes <= out_left;
}

/* Computes a row; `out_left` is the number of elements from y to the end of the output. */
static void nb_conv_one_row(const nb_conv_config *c, const nb_conv_steps *s, const nb_cut *cut,
                            const nb_conv_place *row, const nb_source *source, float *y,
                            ptrdiff_t out_left)
{
    const int32_t width = c->out_dims[2];
    int32_t column = 0;
    while (column < width) {
        int32_t first = column + cut->lanes <= width ? column : width - cut->lanes;
        first = first > 0 ? first : 0;
        const nb_conv_place place = nb_conv_inner(c, row, first);
        const int32_t left = first * c->strides[2] - c->pads[2];
        if (first >= s->inner.first && first + cut->lanes <= s->inner.end) {
            cut->piece(c, s, &place, left, source->x, source->w, source->bias, y + first);
            column = first + cut->lanes;
        } else if (cut->edge != NULL
                   && nb_has_room(c, s, &place, source, cut->lanes, out_left - first)) {
            cut->edge(c, s, &place, left, source->x, source->w, source->bias, y + first);
            column = first + cut->lanes;
        } else {
            const nb_conv_place at = nb_conv_at(c, row, column);
            nb_single(c, s, &at, source->x, source->w, source->bias, y + column);
            column += 1;
        }
    }
}

void nb_conv_f32(const nb_conv_config *config, const float *x, const float *w, const float *bias,
                 float *y)
{
    const nb_conv_steps steps = nb_conv_steps_of(config);
    const nb_cut cut = nb_choose_cut(config);
    const int32_t channels = config->groups * config->out_channels;
    const ptrdiff_t group_size = config->in_channels * steps.channel;
    const ptrdiff_t in_size = nb_conv_extent(config);
    const ptrdiff_t results = nb_conv_results(config);
    const int is_whole = steps.out_channel == results; /* nothing lies between its channels */
    ptrdiff_t later = is_whole ? (ptrdiff_t)config->batch * channels * results : results;
    for (int32_t sample = 0; sample < config->batch; ++sample) {
        for (int32_t out = 0; out < channels; ++out) {
            const ptrdiff_t group = (ptrdiff_t)sample * config->groups + out / config->out_channels;
            nb_source source;
            source.x = x + group * group_size;
            source.w = w + (ptrdiff_t)out * config->in_channels * steps.taps;
            source.bias = bias == NULL ? 0.0f : bias[out];
            source.before = group * group_size;
            source.behind = in_size - source.before;
            ptrdiff_t out_left = later;
            for (int32_t depth = 0; depth < config->out_dims[0]; ++depth) {
                for (int32_t line = 0; line < config->out_dims[1]; ++line) {
                    const nb_conv_place row = nb_conv_row(config, depth, line);
                    nb_conv_one_row(config, &steps, &cut, &row, &source, y, out_left);
                    y += config->out_dims[2];
                    out_left -= config->out_dims[2];
                }
            }
            later = is_whole ? out_left : results;
            y += steps.out_channel - results;
        }
    }
}
