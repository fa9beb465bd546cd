/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_last.h"

#include "nb_finish.h"
#include "nb_parallel.h"
#include "nb_taps.h"

#define NB_PACK 96  /* output channels of a block of weights; the last block may have fewer */
#define NB_CHUNK 96 /* pixels that all channels are computed for before the next ones */
#define NB_NEAR 65536 /* weights up to this number stay near while pixels go by */

/* Pixels side by side: the taps that are inside, and where the first pixel lies. */
typedef struct nb_pixels {
    nb_range height;
    nb_range width;
    ptrdiff_t at;   /* of the element under the first tap, inside or not */
    ptrdiff_t step; /* from one pixel to the next in x */
    ptrdiff_t to;   /* of the first pixel in y */
    ptrdiff_t out;  /* from one pixel to the next in y */
} nb_pixels;

typedef void (*nb_tile)(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                        const float *x);

/* Adds a tap to all sums: `from` is under it for the first pixel, `factors` its weights. */
#define NB_ADD_TAP(PIXELS, VECTORS, TYPE, LANES, KIND)                    \
    {                                                                     \
        TYPE factor[VECTORS];                                             \
        NB_UNROLLED                                                       \
        for (int32_t j = 0; j < (VECTORS); ++j) {                         \
            factor[j] = KIND##_LOAD(factors + j * (LANES));               \
        }                                                                 \
        NB_UNROLLED                                                       \
        for (int32_t i = 0; i < (PIXELS); ++i) {                          \
            NB_UNROLLED                                                   \
            for (int32_t j = 0; j < (VECTORS); ++j) {                     \
                sum[i][j] += KIND##_TIMES_AT(factor[j], from + i * step); \
            }                                                             \
        }                                                                 \
    }

/* All taps of all channels: a single one per channel, or rows and columns of them. */
#define NB_ALL_TAPS_1(...)                                                   \
    const float *from = x + p->at;                                           \
    const float *factors = l->w;                                             \
    for (int32_t channel = 0; channel < c->in_channels; ++channel) {         \
        NB_ADD_TAP(__VA_ARGS__)                                              \
        from += c->x_channel;                                                \
        factors += width;                                                    \
    }
#define NB_ALL_TAPS(...)                                                                \
    const ptrdiff_t column = (ptrdiff_t)c->dilations[1] * c->x_pixel;                   \
    const ptrdiff_t line = (ptrdiff_t)c->dilations[0] * c->in_dims[1] * c->x_pixel;     \
    const ptrdiff_t row = c->kernel[1] * width;                                         \
    const float *w = l->w + p->height.first * row + p->width.first * width;             \
    ptrdiff_t first = p->at + p->height.first * line + p->width.first * column;         \
    for (int32_t channel = 0; channel < c->in_channels; ++channel) {                    \
        for (int32_t kh = 0; kh < p->height.end - p->height.first; ++kh) {              \
            const float *from = x + first + kh * line;                                  \
            const float *factors = w + kh * row;                                        \
            for (int32_t kw = p->width.first; kw < p->width.end; ++kw) {                \
                NB_ADD_TAP(__VA_ARGS__)                                                 \
                from += column;                                                         \
                factors += width;                                                       \
            }                                                                           \
        }                                                                               \
        first += c->x_channel;                                                          \
        w += c->kernel[0] * row;                                                        \
    }

/*
 * Defines the computation of PIXELS pixels of VECTORS * LANES channels, in vectors of TYPE. The
 * sums stay in registers; each vector of weights serves all pixels.
 */
#define NB_TILE(NAME, TAPS, PIXELS, VECTORS, TYPE, LANES, KIND)                           \
    static void NAME(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p, \
                     const float *x)                                                      \
    {                                                                                     \
        const ptrdiff_t step = p->step;                                                   \
        const ptrdiff_t width = l->width;                                                 \
        const ptrdiff_t to = p->to;                                                       \
        const ptrdiff_t out = p->out;                                                     \
        TYPE sum[PIXELS][VECTORS];                                                        \
        NB_UNROLLED                                                                       \
        for (int32_t i = 0; i < (PIXELS); ++i) {                                          \
            NB_UNROLLED                                                                   \
            for (int32_t j = 0; j < (VECTORS); ++j) {                                     \
                sum[i][j] = KIND##_ALL(0.0f);                                             \
                if (l->bias != NULL) {                                                    \
                    sum[i][j] = KIND##_LOAD(l->bias + j * (LANES));                       \
                }                                                                         \
            }                                                                             \
        }                                                                                 \
        {                                                                                 \
            TAPS(PIXELS, VECTORS, TYPE, LANES, KIND)                                      \
        }                                                                                 \
        NB_FINISH(PIXELS, VECTORS, TYPE, LANES, KIND)                                     \
        if (c->y_channel != 1) {                                                          \
            float result[PIXELS][(VECTORS) * (LANES)];                                    \
            NB_UNROLLED                                                                   \
            for (int32_t i = 0; i < (PIXELS); ++i) {                                      \
                NB_UNROLLED                                                               \
                for (int32_t j = 0; j < (VECTORS); ++j) {                                 \
                    KIND##_STORE(&result[i][j * (LANES)], sum[i][j]);                     \
                }                                                                         \
            }                                                                             \
            for (ptrdiff_t j = 0; j < (VECTORS) * (LANES); ++j) {                         \
                for (ptrdiff_t i = 0; i < (PIXELS); ++i) {                                \
                    const ptrdiff_t at = to + j * c->y_channel + i * out;                 \
                    float v = result[i][j];                                               \
                    v = l->more != NULL ? v + l->more[at] : v;                            \
                    v = NB_ONE_AT_LEAST(v, c->low);                                       \
                    l->y[at] = NB_ONE_AT_MOST(v, c->high);                                \
                }                                                                         \
            }                                                                             \
        }                                                                                 \
    }

/* Tiles for many pixels, half as many, and one; VECTORS, TYPE, LANES and KIND follow. */
#define NB_TILES(SUFFIX, TAPS, ...)                            \
    NB_TILE(nb_tile_p##SUFFIX, TAPS, NB_HIGH, __VA_ARGS__)     \
    NB_TILE(nb_tile_h##SUFFIX, TAPS, NB_HIGH / 2, __VA_ARGS__) \
    NB_TILE(nb_tile_1##SUFFIX, TAPS, 1, __VA_ARGS__)

#if NB_VL > 1
#if NB_WIDE > 1
NB_TILES(a, NB_ALL_TAPS, NB_WIDE, nb_vec, NB_VL, NB)
NB_TILES(a1, NB_ALL_TAPS_1, NB_WIDE, nb_vec, NB_VL, NB)
NB_TILES(b, NB_ALL_TAPS, 2, nb_vec, NB_VL, NB)
NB_TILES(b1, NB_ALL_TAPS_1, 2, nb_vec, NB_VL, NB)
#endif
NB_TILES(c, NB_ALL_TAPS, 1, nb_vec, NB_VL, NB)
NB_TILES(c1, NB_ALL_TAPS_1, 1, nb_vec, NB_VL, NB)
#endif
NB_TILES(d, NB_ALL_TAPS, 4, float, 1, NB_ONE)
NB_TILES(e, NB_ALL_TAPS, 1, float, 1, NB_ONE)

/* A choice of tiles by channels; `by_tap` those for kernels of a single tap. */
typedef struct nb_choice {
    int32_t lanes;
    int32_t is_least; /* of vectors, or of numbers: the last ones of a block overlap */
    nb_tile tiles[3];
    nb_tile by_tap[3];
} nb_choice;

#define NB_THREE(SUFFIX) {nb_tile_p##SUFFIX, nb_tile_h##SUFFIX, nb_tile_1##SUFFIX}

/* Chooses tiles for the last `left` channels of a block. */
static const nb_choice *nb_choose(int32_t channels, int32_t left)
{
    static const nb_choice choices[] = {
#if NB_VL > 1
#if NB_WIDE > 1
        {NB_WIDE * NB_VL, 0, NB_THREE(a), NB_THREE(a1)},
        {2 * NB_VL, 0, NB_THREE(b), NB_THREE(b1)},
#endif
        {NB_VL, 1, NB_THREE(c), NB_THREE(c1)},
#endif
        {4, 1, NB_THREE(d), NB_THREE(d)},
        {1, 1, NB_THREE(e), NB_THREE(e)},
    };
    const nb_choice *choice = choices;
    while (choice->lanes > left && !(choice->is_least != 0 && choice->lanes <= channels)) {
        ++choice;
    }
    return choice;
}

/* Computes `count` pixels; the last tile may compute some of them again, to the same bits. */
static void nb_several(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                       int32_t count, const nb_tile *tiles, const float *x)
{
    const int32_t half = NB_HIGH / 2;
    int32_t done = 0;
    while (done < count) {
        const int32_t left = count - done;
        const int32_t which = left > half && count >= NB_HIGH ? 0 : (count >= half ? 1 : 2);
        const int32_t size = which == 0 ? NB_HIGH : (which == 1 ? half : 1);
        const ptrdiff_t from = left < size ? count - size : done;
        nb_pixels here = *p;
        here.at += from * p->step;
        here.to += from * p->out;
        tiles[which](c, l, &here, x);
        done = (int32_t)from + size;
    }
}

/* What all channels of a sample are computed from. */
typedef struct nb_job {
    const float *x;
    const float *w;
    const float *bias;
    const float *norm;
    const float *more;
    float *y;
} nb_job;

static nb_lanes nb_lanes_of(const nb_conv_last_config *c, const nb_job *job, int32_t block,
                            int32_t lane, int32_t width)
{
    const ptrdiff_t first = (ptrdiff_t)block + lane;
    const ptrdiff_t taps = (ptrdiff_t)c->in_channels * c->kernel[0] * c->kernel[1];
    nb_lanes l;
    l.w = job->w + block * taps + lane;
    l.width = width;
    l.bias = job->bias == NULL ? NULL : job->bias + first;
    l.factor = job->norm == NULL ? NULL : job->norm + first;
    l.offset = job->norm == NULL ? NULL : job->norm + c->out_channels + first;
    l.more = job->more == NULL ? NULL : job->more + first * c->y_channel;
    l.y = job->y + first * c->y_channel;
    return l;
}

/* The products for so many results of each channel. */
#define NB_PRODUCTS(C, RESULTS) \
    ((ptrdiff_t)(C)->in_channels * (C)->kernel[0] * (C)->kernel[1] * (C)->out_channels * (RESULTS))

/*
 * Calls BODY for all groups of channels, which sees them as `l`, and the tiles as `choice`, for so
 * many RESULTS of each channel.
 */
#define NB_OVER_LANES_OF(C, JOB, RESULTS, BODY)                                             \
    NB_PARALLEL((C)->out_channels > NB_PACK, NB_PRODUCTS(C, RESULTS))                       \
    for (int32_t block = 0; block < (C)->out_channels; block += NB_PACK) {                  \
        const int32_t behind = (C)->out_channels - block;                                   \
        const int32_t channels = behind < NB_PACK ? behind : NB_PACK;                       \
        int32_t lane = 0;                                                                   \
        while (lane < channels) {                                                           \
            const nb_choice *choice = nb_choose(channels, channels - lane);                 \
            const int32_t last = channels - choice->lanes;                                  \
            const int32_t start = lane < last ? lane : last;                                \
            const nb_lanes l = nb_lanes_of((C), (JOB), block, start, channels);             \
            BODY                                                                            \
            lane = start + choice->lanes;                                                   \
        }                                                                                   \
    }

/* Whether pixels need no neighbours, so that all of them are one row. */
static int nb_is_pointwise(const nb_conv_last_config *c)
{
    return c->kernel[0] == 1 && c->kernel[1] == 1 && c->strides[0] == 1 && c->strides[1] == 1
        && c->pads[0] == 0 && c->pads[1] == 0 && c->in_dims[0] == c->out_dims[0]
        && c->in_dims[1] == c->out_dims[1];
}

static void nb_pointwise(const nb_conv_last_config *c, const nb_job *job)
{
    const int32_t count = c->out_dims[0] * c->out_dims[1];
    const int is_near = (ptrdiff_t)c->in_channels * c->out_channels <= NB_NEAR;
    const int32_t chunk = is_near ? NB_CHUNK : count;
    NB_PARALLEL(count > chunk, NB_PRODUCTS(c, count))
    for (int32_t done = 0; done < count; done += chunk) {
        const int32_t size = count - done < chunk ? count - done : chunk;
        nb_pixels p = {{0, 1}, {0, 1}, 0, c->x_pixel, 0, c->y_pixel};
        p.at = (ptrdiff_t)done * c->x_pixel;
        p.to = (ptrdiff_t)done * c->y_pixel;
        NB_OVER_LANES_OF(c, job, size, nb_several(c, &l, &p, size, choice->by_tap, job->x);)
    }
}

/* Computes a row of some channels: what lies at an edge one by one. */
static void nb_one_row(const nb_conv_last_config *c, const nb_lanes *l, const nb_choice *choice,
                       int32_t row, const float *x)
{
    const int32_t top = row * c->strides[0] - c->pads[0];
    const int32_t reach = (c->kernel[1] - 1) * c->dilations[1];
    const nb_range inner =
        nb_inside(-c->pads[1], c->strides[1], c->out_dims[1], 0, c->in_dims[1] - reach);
    nb_pixels p;
    p.height = nb_inside(top, c->dilations[0], c->kernel[0], 0, c->in_dims[0]);
    p.step = (ptrdiff_t)c->strides[1] * c->x_pixel;
    p.out = c->y_pixel;
    int32_t column = 0;
    while (column < c->out_dims[1]) {
        const int is_inner = column == inner.first && inner.end > column;
        const int32_t left = column * c->strides[1] - c->pads[1];
        p.width.first = 0;
        p.width.end = c->kernel[1];
        if (!is_inner) {
            p.width = nb_inside(left, c->dilations[1], c->kernel[1], 0, c->in_dims[1]);
        }
        p.at = ((ptrdiff_t)top * c->in_dims[1] + left) * c->x_pixel;
        p.to = ((ptrdiff_t)row * c->out_dims[1] + column) * c->y_pixel;
        const int32_t count = is_inner ? inner.end - column : 1;
        nb_several(c, l, &p, count, choice->tiles, x);
        column += count;
    }
}

static void nb_rows(const nb_conv_last_config *c, const nb_job *job)
{
    const ptrdiff_t taps = (ptrdiff_t)c->in_channels * c->kernel[0] * c->kernel[1];
    const int32_t together = taps * c->out_channels <= NB_NEAR ? 1 : c->out_dims[0];
    NB_PARALLEL(c->out_dims[0] > together,
                NB_PRODUCTS(c, (ptrdiff_t)c->out_dims[0] * c->out_dims[1]))
    for (int32_t first = 0; first < c->out_dims[0]; first += together) {
        NB_OVER_LANES_OF(c, job, (ptrdiff_t)together * c->out_dims[1], {
            for (int32_t row = first; row < first + together; ++row) {
                nb_one_row(c, &l, choice, row, job->x);
            }
        })
    }
}

void nb_conv_last_f32(const nb_conv_last_config *config, const float *x, const float *w,
                      const float *bias, const float *norm, const float *more, float *y)
{
    const ptrdiff_t in_size =
        (ptrdiff_t)config->in_channels * config->in_dims[0] * config->in_dims[1];
    const ptrdiff_t out_size =
        (ptrdiff_t)config->out_channels * config->out_dims[0] * config->out_dims[1];
    for (ptrdiff_t sample = 0; sample < config->batch; ++sample) {
        const nb_job job = {x + sample * in_size, w, bias, norm,
                            more == NULL ? NULL : more + sample * out_size, y + sample * out_size};
        if (nb_is_pointwise(config)) {
            nb_pointwise(config, &job);
        } else {
            nb_rows(config, &job);
        }
    }
}
