/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_last_tiles: pixels and channels that are computed together by nb_conv_last, nb_point_last
 * and nb_conv_near. Each defines NB_TAPS, the loops over channels and taps, and includes this once.
 */
#ifndef NB_CONV_LAST_TILES_H
#define NB_CONV_LAST_TILES_H

#include "nb_conv_last.h"
#include "nb_finish.h"
#include "nb_parallel.h"
#include "nb_subnormal.h"
#include "nb_sum_taps.h"
#include "nb_taps.h"

#define NB_PACK 96    /* output channels of a block of weights */
#define NB_LEAST 16   /* fewer that are left belong to the block before */
#define NB_NEAR 65536 /* weights up to this number stay near while pixels go by */
#if NB_HIGH > 4
#define NB_MOST 2 /* vectors of a tile: with 8 pixels 16 sums, enough for the adders */
#else
#define NB_MOST NB_WIDE
#endif

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
#define NB_TILE(NAME, PIXELS, VECTORS, TYPE, LANES, KIND)                                      \
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
            NB_TAPS(PIXELS, VECTORS, TYPE, LANES, KIND)                                        \
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
#define NB_TILES(SUFFIX, ...)                            \
    NB_TILE(nb_tile_p##SUFFIX, NB_HIGH, __VA_ARGS__)     \
    NB_TILE(nb_tile_h##SUFFIX, NB_HIGH / 2, __VA_ARGS__) \
    NB_TILE(nb_tile_1##SUFFIX, 1, __VA_ARGS__)

#if NB_VL > 1
#if NB_MOST > 2
NB_TILES(a, NB_MOST, nb_vec, NB_VL, NB)
#endif
#if NB_WIDE > 1
NB_TILES(b, 2, nb_vec, NB_VL, NB)
#endif
NB_TILES(c, 1, nb_vec, NB_VL, NB)
NB_TILE(nb_tile_1e, 1, 1, float, 1, NB_ONE)
#else
NB_TILES(d, 4, float, 1, NB_ONE)
NB_TILES(e, 1, float, 1, NB_ONE)
#endif

/* Tiles by channels; beside vectors single numbers are for fewer channels than a vector has. */
typedef struct nb_choice {
    int32_t lanes;
    int32_t is_least; /* of vectors, or of numbers: the last ones of a block overlap */
    nb_tile tiles[3]; /* for many pixels and half as many, if there are such, and for one */
} nb_choice;

#define NB_THREE(SUFFIX) {nb_tile_p##SUFFIX, nb_tile_h##SUFFIX, nb_tile_1##SUFFIX}

/* Chooses tiles for the last `left` channels of a block. */
static const nb_choice *nb_choose(int32_t channels, int32_t left)
{
    static const nb_choice choices[] = {
#if NB_VL > 1
#if NB_MOST > 2
        {NB_MOST * NB_VL, 0, NB_THREE(a)},
#endif
#if NB_WIDE > 1
        {2 * NB_VL, 0, NB_THREE(b)},
#endif
        {NB_VL, 1, NB_THREE(c)},
        {1, 1, {NULL, NULL, nb_tile_1e}},
#else
        {4, 1, NB_THREE(d)},
        {1, 1, NB_THREE(e)},
#endif
    };
    const nb_choice *choice = choices;
    while (choice->lanes > left && !(choice->is_least != 0 && choice->lanes <= channels)) {
        ++choice;
    }
    return choice;
}

/* The tile for `left` of `count` pixels: many, half as many, or one. */
static inline int32_t nb_which(const nb_choice *choice, int32_t left, int32_t count)
{
    const int32_t half = NB_HIGH / 2;
    if (NB_VL > 1 && choice->lanes == 1) {
        return 2;
    }
    return left > half && count >= NB_HIGH ? 0 : (count >= half ? 1 : 2);
}

static inline int32_t nb_size_of(int32_t which)
{
    return which == 0 ? NB_HIGH : (which == 1 ? NB_HIGH / 2 : 1);
}

/* Computes a tile; where a vector took a subnormal number for 0, again, number by number. */
static inline void nb_run(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                          int32_t which, const nb_choice *choice, const float *x)
{
    choice->tiles[which](c, l, p, x);
    if (NB_FLUSHES && nb_was_flushed()) {
        for (int32_t i = 0; i < nb_size_of(which) * choice->lanes; ++i) {
            const int32_t lane = i % choice->lanes;
            const int32_t pixel = i / choice->lanes;
            const ptrdiff_t apart = (ptrdiff_t)lane * c->y_channel;
            nb_lanes one = *l;
            nb_pixels here = *p;
            one.w += lane;
            one.bias = l->bias == NULL ? NULL : l->bias + lane;
            one.norm = l->norm == NULL ? NULL : l->norm + lane;
            one.more = l->more == NULL ? NULL : l->more + apart;
            one.y += apart;
            here.at += pixel * p->step;
            here.to += pixel * p->out;
            here.from = p->from == NULL ? NULL : p->from + pixel;
            nb_tile_1e(c, &one, &here, x);
        }
        nb_forget();
    }
}

/* Computes `count` pixels; the last tile may compute some of them again, to the same bits. */
static inline void nb_several(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                              int32_t count, const nb_choice *choice, const float *x)
{
    int32_t done = 0;
    while (done < count) {
        const int32_t left = count - done;
        const int32_t which = nb_which(choice, left, count);
        const int32_t size = nb_size_of(which);
        const ptrdiff_t from = left < size ? count - size : done;
        nb_pixels here = *p;
        here.at += from * p->step;
        here.to += from * p->out;
        nb_run(c, l, &here, which, choice, x);
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

static nb_job nb_job_of(const nb_conv_last_config *c, const nb_job *all, ptrdiff_t sample)
{
    nb_job job = *all;
    const ptrdiff_t results = (ptrdiff_t)c->out_channels * c->out_dims[0] * c->out_dims[1];
    job.x += sample * ((ptrdiff_t)c->in_channels * c->in_dims[0] * c->in_dims[1]);
    job.more = job.more == NULL ? NULL : job.more + sample * results;
    job.y += sample * results;
    return job;
}

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

/* The channels of the block of weights that begins at one: none if they belong to that before. */
static inline int32_t nb_block_of(const nb_conv_last_config *c, int32_t first)
{
    const int32_t left = c->out_channels - first;
    if (first > 0 && left < NB_LEAST) {
        return 0;
    }
    return left < NB_PACK + NB_LEAST ? left : NB_PACK;
}

/* Calls BODY for all groups of channels, which sees them as `l`, and the tiles as `choice`. */
#define NB_OVER_LANES_OF(C, JOB, BODY)                                          \
    for (int32_t block = 0; block < (C)->out_channels; block += NB_PACK) {      \
        const int32_t channels = nb_block_of(C, block);                         \
        int32_t lane = 0;                                                       \
        while (lane < channels) {                                               \
            const nb_choice *choice = nb_choose(channels, channels - lane);     \
            const int32_t last = channels - choice->lanes;                      \
            const int32_t start = lane < last ? lane : last;                    \
            const nb_lanes l = nb_lanes_of((C), (JOB), block, start, channels); \
            BODY                                                                \
            lane = start + choice->lanes;                                       \
        }                                                                       \
    }

#endif
