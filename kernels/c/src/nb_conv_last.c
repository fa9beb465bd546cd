/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_last.h"

#include "nb_finish.h"
#include "nb_parallel.h"
#include "nb_subnormal.h"
#include "nb_sum_taps.h"
#include "nb_taps.h"

#define NB_PACK 96  /* output channels of a block of weights; the last block may have fewer */
#define NB_CHUNK 96 /* pixels that all channels are computed for before the next ones */
#define NB_NEAR 65536 /* weights up to this number stay near while pixels go by */
#if NB_HIGH > 4
#define NB_MOST 2 /* vectors of a tile: with 8 pixels 16 sums, enough for the adders */
#else
#define NB_MOST NB_WIDE
#endif
#define NB_MOST_TAPS 25 /* of a channel, for pixels that are not in a row */

/* Pixels side by side: the taps that are inside, and where the first pixel lies. */
typedef struct nb_pixels {
    nb_range height;
    nb_range width;
    ptrdiff_t at;   /* of the element under the first tap, inside or not */
    ptrdiff_t step; /* from one pixel to the next in x */
    ptrdiff_t to;   /* of the first pixel in y */
    ptrdiff_t out;  /* from one pixel to the next in y */
    const float *const *from; /* or what is under each tap, NB_HIGH pixels side by side */
} nb_pixels;

typedef void (*nb_tile)(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                        const float *x);

/*
 * Defines the computation of PIXELS pixels of VECTORS * LANES channels, in vectors of TYPE. The
 * sums stay in registers; each vector of weights serves all pixels.
 */
#define NB_TILE(NAME, TAPS, PIXELS, VECTORS, TYPE, LANES, KIND)                                \
    static void NAME(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,      \
                     const float *x)                                                           \
    {                                                                                          \
        const ptrdiff_t step = p->step;                                                        \
        const ptrdiff_t width = l->width;                                                      \
        const int is_apart = c->y_channel != 1;                                                \
        const float *more = l->more;                                                           \
        float result[PIXELS][(VECTORS) * (LANES)];                                             \
        float *to = is_apart ? &result[0][0] : l->y + p->to;                                   \
        const ptrdiff_t out = is_apart ? (VECTORS) * (LANES) : p->out;                         \
        TYPE sum[PIXELS][VECTORS];                                                             \
        (void)step;                                                                            \
        (void)x;                                                                               \
        NB_BEGIN(l->bias, PIXELS, VECTORS, LANES, KIND)                                        \
        {                                                                                      \
            TAPS(PIXELS, VECTORS, TYPE, LANES, KIND)                                           \
        }                                                                                      \
        if (more != NULL && is_apart) {                                                        \
            nb_gather((PIXELS), (VECTORS) * (LANES), more + p->to, c->y_channel, p->out, to);  \
            more = to;                                                                         \
        } else if (more != NULL) {                                                             \
            more += p->to;                                                                     \
        }                                                                                      \
        NB_THEN(sum, c, l->norm + j * (LANES), c->out_channels, 1,                             \
                more + i * out + j * (LANES), PIXELS, VECTORS, TYPE, KIND)                     \
        NB_STORE_TILE(to + i * out + j * (LANES), PIXELS, VECTORS, KIND)                       \
        if (is_apart) {                                                                        \
            nb_scatter((PIXELS), (VECTORS) * (LANES), to, l->y + p->to, c->y_channel, p->out); \
        }                                                                                      \
    }

/* Tiles for many pixels, half as many, and one; VECTORS, TYPE, LANES and KIND follow. */
#define NB_TILES(SUFFIX, TAPS, ...)                            \
    NB_TILE(nb_tile_p##SUFFIX, TAPS, NB_HIGH, __VA_ARGS__)     \
    NB_TILE(nb_tile_h##SUFFIX, TAPS, NB_HIGH / 2, __VA_ARGS__) \
    NB_TILE(nb_tile_1##SUFFIX, TAPS, 1, __VA_ARGS__)

#if NB_VL > 1
#if NB_MOST > 2
NB_TILES(a, NB_ALL_TAPS, NB_MOST, nb_vec, NB_VL, NB)
NB_TILES(a1, NB_ALL_TAPS_1, NB_MOST, nb_vec, NB_VL, NB)
NB_TILES(a2, NB_ALL_TAPS_FROM, NB_MOST, nb_vec, NB_VL, NB)
#endif
#if NB_WIDE > 1
NB_TILES(b, NB_ALL_TAPS, 2, nb_vec, NB_VL, NB)
NB_TILES(b1, NB_ALL_TAPS_1, 2, nb_vec, NB_VL, NB)
NB_TILES(b2, NB_ALL_TAPS_FROM, 2, nb_vec, NB_VL, NB)
#endif
NB_TILES(c, NB_ALL_TAPS, 1, nb_vec, NB_VL, NB)
NB_TILES(c1, NB_ALL_TAPS_1, 1, nb_vec, NB_VL, NB)
NB_TILES(c2, NB_ALL_TAPS_FROM, 1, nb_vec, NB_VL, NB)
#endif
NB_TILES(d, NB_ALL_TAPS, 4, float, 1, NB_ONE)
NB_TILES(d2, NB_ALL_TAPS_FROM, 4, float, 1, NB_ONE)
NB_TILES(e, NB_ALL_TAPS, 1, float, 1, NB_ONE)
NB_TILES(e2, NB_ALL_TAPS_FROM, 1, float, 1, NB_ONE)

/* Tiles by channels; `by_tap` for kernels of a single tap, `anywhere` for pixels not in a row. */
typedef struct nb_choice {
    int32_t lanes;
    int32_t is_least; /* of vectors, or of numbers: the last ones of a block overlap */
    nb_tile tiles[3];
    nb_tile by_tap[3];
    nb_tile anywhere[3];
} nb_choice;

#define NB_THREE(SUFFIX) {nb_tile_p##SUFFIX, nb_tile_h##SUFFIX, nb_tile_1##SUFFIX}

/* Chooses tiles for the last `left` channels of a block. */
static const nb_choice *nb_choose(int32_t channels, int32_t left)
{
    static const nb_choice choices[] = {
#if NB_VL > 1
#if NB_MOST > 2
        {NB_MOST * NB_VL, 0, NB_THREE(a), NB_THREE(a1), NB_THREE(a2)},
#endif
#if NB_WIDE > 1
        {2 * NB_VL, 0, NB_THREE(b), NB_THREE(b1), NB_THREE(b2)},
#endif
        {NB_VL, 1, NB_THREE(c), NB_THREE(c1), NB_THREE(c2)},
#endif
        {4, 1, NB_THREE(d), NB_THREE(d), NB_THREE(d2)},
        {1, 1, NB_THREE(e), NB_THREE(e), NB_THREE(e2)},
    };
    const nb_choice *choice = choices;
    while (choice->lanes > left && !(choice->is_least != 0 && choice->lanes <= channels)) {
        ++choice;
    }
    return choice;
}

/* The tile for `left` of `count` pixels: many, half as many, or one. */
static int32_t nb_which(int32_t left, int32_t count)
{
    const int32_t half = NB_HIGH / 2;
    return left > half && count >= NB_HIGH ? 0 : (count >= half ? 1 : 2);
}

static int32_t nb_size_of(int32_t which)
{
    return which == 0 ? NB_HIGH : (which == 1 ? NB_HIGH / 2 : 1);
}

/* Computes a tile; four numbers side by side are computed again where a vector took one for 0. */
static void nb_run(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                   int32_t which, const nb_tile *tiles, const float *x)
{
    static const nb_tile in_rows[] = NB_THREE(d);
    static const nb_tile anywhere[] = NB_THREE(d2);
    tiles[which](c, l, p, x);
    if (NB_FLUSHES && nb_was_flushed() && l->width >= 4) {
        (p->from == NULL ? in_rows : anywhere)[which](c, l, p, x);
        nb_forget();
    }
}

/* Computes `count` pixels; the last tile may compute some of them again, to the same bits. */
static void nb_several(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                       int32_t count, const nb_tile *tiles, const float *x)
{
    int32_t done = 0;
    while (done < count) {
        const int32_t left = count - done;
        const int32_t which = nb_which(left, count);
        const int32_t size = nb_size_of(which);
        const ptrdiff_t from = left < size ? count - size : done;
        nb_pixels here = *p;
        here.at += from * p->step;
        here.to += from * p->out;
        nb_run(c, l, &here, which, tiles, x);
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
    const float *outside;
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
    l.norm = job->norm == NULL ? NULL : job->norm + first;
    l.more = job->more == NULL ? NULL : job->more + first * c->y_channel;
    l.y = job->y + first * c->y_channel;
    return l;
}

/* The products for so many results of each channel. */
#define NB_PRODUCTS(C, RESULTS) \
    ((ptrdiff_t)(C)->in_channels * (C)->kernel[0] * (C)->kernel[1] * (C)->out_channels * (RESULTS))

/* Shares the blocks of channels of the loop behind it, for so many RESULTS of each channel. */
#define NB_PARALLEL_BLOCKS(C, RESULTS) \
    NB_PARALLEL((C)->out_channels > NB_PACK, NB_PRODUCTS(C, RESULTS))

/* Calls BODY for all groups of channels, which sees them as `l`, and the tiles as `choice`. */
#define NB_OVER_LANES_OF(C, JOB, BODY)                                                      \
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
        nb_pixels p = {{0, 1}, {0, 1}, 0, c->x_pixel, 0, c->y_pixel, NULL};
        p.at = (ptrdiff_t)done * c->x_pixel;
        p.to = (ptrdiff_t)done * c->y_pixel;
        NB_PARALLEL_BLOCKS(c, size)
        NB_OVER_LANES_OF(c, job, nb_several(c, &l, &p, size, choice->by_tap, job->x);)
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
    p.from = NULL;
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
        NB_PARALLEL_BLOCKS(c, (ptrdiff_t)together * c->out_dims[1])
        NB_OVER_LANES_OF(c, job, {
            for (int32_t row = first; row < first + together; ++row) {
                nb_one_row(c, &l, choice, row, job->x);
            }
        })
    }
}

/* What is under each tap for NB_HIGH pixels, from a first one on; outside of x it is zeros. */
typedef struct nb_table {
    int32_t first; /* pixel, or -1 */
    const float *from[NB_MOST_TAPS * NB_HIGH];
} nb_table;

static void nb_fill(const nb_conv_last_config *c, const nb_job *job, int32_t first, nb_table *table)
{
    const int32_t last = c->out_dims[0] * c->out_dims[1] - 1;
    for (int32_t i = 0; i < NB_HIGH; ++i) {
        const int32_t pixel = first + i < last ? first + i : last;
        const int32_t top = pixel / c->out_dims[1] * c->strides[0] - c->pads[0];
        const int32_t left = pixel % c->out_dims[1] * c->strides[1] - c->pads[1];
        const float **from = table->from + i;
        for (int32_t kh = 0; kh < c->kernel[0]; ++kh) {
            const int32_t row = top + kh * c->dilations[0];
            const int is_row = row >= 0 && row < c->in_dims[0];
            for (int32_t kw = 0; kw < c->kernel[1]; ++kw) {
                const int32_t column = left + kw * c->dilations[1];
                const int is_inside = is_row && column >= 0 && column < c->in_dims[1];
                const ptrdiff_t at = ((ptrdiff_t)row * c->in_dims[1] + column) * c->x_pixel;
                *from = is_inside ? job->x + at : job->outside;
                from += NB_HIGH;
            }
        }
    }
    table->first = first;
}

/* Computes some channels of pixels, whose taps the table names. */
static void nb_some_anywhere(const nb_conv_last_config *c, const nb_job *job, const nb_lanes *l,
                             const nb_choice *choice, nb_range pixels, nb_table *table)
{
    const int32_t count = c->out_dims[0] * c->out_dims[1];
    nb_pixels p = {{0, 1}, {0, 1}, 0, 0, 0, c->y_pixel, table->from};
    int32_t done = pixels.first;
    while (done < pixels.end) {
        const int32_t which = nb_which(count - done, count);
        const int32_t size = nb_size_of(which);
        const int32_t first = count - done < size ? count - size : done;
        if (table->first != first) {
            nb_fill(c, job, first, table);
        }
        p.to = (ptrdiff_t)first * c->y_pixel;
        nb_run(c, l, &p, which, choice->anywhere, job->x);
        done = first + size;
    }
}

/*
 * Computes all pixels with all taps, row ends or not. Each thread has a table of its own; where the
 * last tile computes pixels of the one before it again, there is one thread.
 */
static void nb_anywhere(const nb_conv_last_config *c, const nb_job *job)
{
    const ptrdiff_t taps = (ptrdiff_t)c->in_channels * c->kernel[0] * c->kernel[1];
    const int32_t count = c->out_dims[0] * c->out_dims[1];
    if (taps * c->out_channels > NB_NEAR) {
        const nb_range all = {0, count};
        NB_PARALLEL_BLOCKS(c, count)
        NB_OVER_LANES_OF(c, job, {
            nb_table table;
            table.first = -1;
            nb_some_anywhere(c, job, &l, choice, all, &table);
        })
        return;
    }
    NB_PARALLEL(count > NB_HIGH && count % (NB_HIGH / 2) == 0, NB_PRODUCTS(c, count))
    for (int32_t begin = 0; begin < count; begin += NB_HIGH) {
        const nb_range some = {begin, count - begin < NB_HIGH ? count : begin + NB_HIGH};
        nb_table table;
        table.first = -1;
        NB_OVER_LANES_OF(c, job, nb_some_anywhere(c, job, &l, choice, some, &table);)
    }
}

void nb_conv_last_f32(const nb_conv_last_config *config, const float *x, const float *w,
                      const float *bias, const float *norm, const float *more,
                      const float *outside, float *y)
{
    const int32_t taps = config->kernel[0] * config->kernel[1];
    const ptrdiff_t in_size =
        (ptrdiff_t)config->in_channels * config->in_dims[0] * config->in_dims[1];
    const ptrdiff_t out_size =
        (ptrdiff_t)config->out_channels * config->out_dims[0] * config->out_dims[1];
    const uint32_t before = nb_watch();
    for (ptrdiff_t sample = 0; sample < config->batch; ++sample) {
        const nb_job job = {x + sample * in_size, w, bias, norm,
                            more == NULL ? NULL : more + sample * out_size, outside,
                            y + sample * out_size};
        if (nb_is_pointwise(config)) {
            nb_pointwise(config, &job);
        } else if (outside != NULL && config->x_channel == 1 && taps <= NB_MOST_TAPS) {
            nb_anywhere(config, &job);
        } else {
            nb_rows(config, &job);
        }
    }
    nb_unwatch(before);
}
