/* SPDX-License-Identifier: MIT-0 */
#include "nb_depthwise_last.h"

#include "nb_finish.h"
#include "nb_parallel.h"
#include "nb_subnormal.h"
#include "nb_taps.h"

#define NB_SIDE 6     /* pixels of a row that are computed together */
#define NB_TOGETHER 8 /* vectors of channels of a pixel at an edge */

/* Pixels of a row: the taps that are inside, and where the first pixel lies. */
typedef struct nb_pixels {
    nb_range height;
    nb_range width;
    ptrdiff_t at; /* of the element under the first tap, inside or not */
    ptrdiff_t to; /* of the first pixel in y */
} nb_pixels;

typedef void (*nb_tile)(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                        int32_t count, const float *x);

/*
 * Defines the computation of `count` pixels, PIXELS at a time, STRIDE apart, of VECTORS * LANES
 * channels, by the taps from FIRST on, before END, of each row of the kernel, whose data are
 * DILATION pixels apart. The last pixels may be computed twice, to the same bits.
 */
#define NB_TILE(NAME, PIXELS, STRIDE, FIRST, END, DILATION, VECTORS, TYPE, LANES, KIND)      \
    static void NAME(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,    \
                     int32_t count, const float *x)                                          \
    {                                                                                        \
        const ptrdiff_t pixel = c->x_pixel;                                                  \
        const ptrdiff_t line = (ptrdiff_t)c->dilations[0] * c->in_dims[1] * pixel;           \
        const ptrdiff_t width = l->width;                                                    \
        const ptrdiff_t out = c->y_pixel;                                                    \
        const ptrdiff_t row = c->kernel[1] * width;                                          \
        const float *w = l->w + p->height.first * row;                                       \
        const int32_t lines = p->height.end - p->height.first;                               \
        for (int32_t done = 0; done < count; done += (PIXELS)) {                             \
            const ptrdiff_t start = done + (PIXELS) <= count ? done : count - (PIXELS);      \
            const ptrdiff_t to = p->to + start * out;                                        \
            const float *from =                                                              \
                x + p->at + start * (STRIDE) * pixel + p->height.first * line;               \
            const float *factors = w;                                                        \
            TYPE sum[PIXELS][VECTORS];                                                       \
            NB_BEGIN(l->bias, PIXELS, VECTORS, LANES, KIND)                                  \
            for (int32_t kh = lines; kh > 0; --kh) {                                         \
                NB_UNROLLED                                                                  \
                for (int32_t kw = (FIRST); kw < (END); ++kw) {                               \
                    NB_UNROLLED                                                              \
                    for (int32_t j = 0; j < (VECTORS); ++j) {                                \
                        const TYPE factor = KIND##_LOAD(factors + kw * width + j * (LANES)); \
                        NB_UNROLLED                                                          \
                        for (int32_t i = 0; i < (PIXELS); ++i) {                             \
                            const ptrdiff_t at = (i * (STRIDE) + kw * (DILATION)) * pixel;   \
                            sum[i][j] += factor * KIND##_LOAD(from + at + j * (LANES));      \
                        }                                                                    \
                    }                                                                        \
                }                                                                            \
                from += line;                                                                \
                factors += row;                                                              \
            }                                                                                \
            NB_THEN(sum, c, l->norm + j * (LANES), c->out_channels, 1,                            \
                    l->more + to + i * out + j * (LANES), PIXELS, VECTORS, TYPE, KIND)       \
            NB_STORE_TILE(l->y + to + i * out + j * (LANES), PIXELS, VECTORS, KIND)          \
        }                                                                                    \
    }

#define NB_PART c->strides[1], p->width.first, p->width.end, c->dilations[1]

#define NB_TILE_PART(NAME, PIXELS, ...) NB_TILE(NAME, PIXELS, __VA_ARGS__)

/* Pixels side by side by kernels of 3 columns and by any, and a pixel by the taps inside. */
#define NB_TILES(SUFFIX, TYPE, LANES, KIND)                                       \
    NB_TILE(nb_tile_1_3##SUFFIX, NB_SIDE, 1, 0, 3, 1, 1, TYPE, LANES, KIND)       \
    NB_TILE(nb_tile_2_3##SUFFIX, NB_SIDE, 2, 0, 3, 1, 1, TYPE, LANES, KIND)       \
    NB_TILE(nb_half_1_3##SUFFIX, NB_SIDE / 2, 1, 0, 3, 1, 1, TYPE, LANES, KIND)   \
    NB_TILE(nb_half_2_3##SUFFIX, NB_SIDE / 2, 2, 0, 3, 1, 1, TYPE, LANES, KIND)   \
    NB_TILE_PART(nb_tile_any##SUFFIX, NB_SIDE, NB_PART, 1, TYPE, LANES, KIND)     \
    NB_TILE_PART(nb_half_any##SUFFIX, NB_SIDE / 2, NB_PART, 1, TYPE, LANES, KIND) \
    NB_TILE_PART(nb_one##SUFFIX, 1, NB_PART, 1, TYPE, LANES, KIND)                \
    NB_TILE_PART(nb_wide##SUFFIX, 1, NB_PART, NB_TOGETHER, TYPE, LANES, KIND)

/* Beside vectors single numbers are for fewer channels than a vector has: pixel by pixel. */
#if NB_VL > 1
NB_TILES(v, nb_vec, NB_VL, NB)
NB_TILE_PART(nb_one, 1, NB_PART, 1, float, 1, NB_ONE)
#else
NB_TILES(v, float, 1, NB_ONE)
#endif

/* Tiles for many pixels, half as many, and one; and for more channels of one. */
typedef struct nb_choice {
    int32_t lanes;
    nb_tile any[3];
    nb_tile by_3[2][3]; /* kernels of 3 columns, pixels 1 or 2 apart */
    nb_tile wide;       /* or NULL */
} nb_choice;

static const nb_choice *nb_choose(int32_t channels)
{
    static const nb_choice choices[] = {
        {NB_VL,
         {nb_tile_anyv, nb_half_anyv, nb_onev},
         {{nb_tile_1_3v, nb_half_1_3v, nb_onev}, {nb_tile_2_3v, nb_half_2_3v, nb_onev}},
         nb_widev},
#if NB_VL > 1
        {1,
         {nb_one, nb_one, nb_one},
         {{nb_one, nb_one, nb_one}, {nb_one, nb_one, nb_one}},
         NULL},
#endif
    };
    const nb_choice *choice = choices;
    while (choice->lanes > channels) {
        ++choice;
    }
    return choice;
}

/* What all channels of a sample are computed from, from the first one on, and how. */
typedef struct nb_job {
    const nb_conv_last_config *c;
    const nb_choice *choice;
    nb_range inner; /* columns for which all columns of the kernel are inside */
    nb_lanes first;
    const float *x;
} nb_job;

static nb_lanes nb_lanes_from(const nb_job *job, ptrdiff_t channel)
{
    nb_lanes l = job->first;
    l.w += channel;
    l.bias = l.bias == NULL ? NULL : l.bias + channel;
    l.norm = l.norm == NULL ? NULL : l.norm + channel;
    l.more = l.more == NULL ? NULL : l.more + channel;
    l.y += channel;
    return l;
}

/* Computes `count` pixels of some channels, one by one where vectors took a number for 0. */
static void nb_run(const nb_job *job, const nb_pixels *p, int32_t count, nb_tile tile,
                   ptrdiff_t first, int32_t lanes)
{
    const nb_lanes l = nb_lanes_from(job, first);
    tile(job->c, &l, p, count, job->x + first);
    if (NB_FLUSHES && nb_was_flushed()) {
        const nb_choice *single = nb_choose(1);
        for (ptrdiff_t channel = first; channel < first + lanes; ++channel) {
            const nb_lanes one = nb_lanes_from(job, channel);
            single->any[2](job->c, &one, p, count, job->x + channel);
        }
        nb_forget();
    }
}

/* Computes the pixels of a row for which all columns of the kernel are inside. */
static void nb_inner_part(const nb_job *job, const nb_pixels *p, int32_t count)
{
    const nb_conv_last_config *c = job->c;
    const nb_choice *choice = job->choice;
    const int is_by_3 = c->kernel[1] == 3 && c->dilations[1] == 1 && c->strides[1] <= 2;
    const nb_tile *tiles = is_by_3 ? choice->by_3[c->strides[1] - 1] : choice->any;
    const int32_t which = count >= NB_SIDE ? 0 : (count >= NB_SIDE / 2 ? 1 : 2);
    const int32_t last = c->out_channels - choice->lanes;
    for (int32_t channel = 0; channel < c->out_channels; channel += choice->lanes) {
        const ptrdiff_t first = channel < last ? channel : last;
        nb_run(job, p, count, tiles[which], first, choice->lanes);
    }
}

/* Computes a pixel, many channels at a time. */
static void nb_single(const nb_job *job, const nb_pixels *p)
{
    const int32_t channels = job->c->out_channels;
    const int32_t wide = NB_TOGETHER * job->choice->lanes;
    const int is_wide = job->choice->wide != NULL && channels >= wide;
    const int32_t lanes = is_wide ? wide : job->choice->lanes;
    const nb_tile tile = is_wide ? job->choice->wide : job->choice->any[2];
    for (int32_t channel = 0; channel < channels; channel += lanes) {
        const ptrdiff_t first = channel < channels - lanes ? channel : channels - lanes;
        nb_run(job, p, 1, tile, first, lanes);
    }
}

static void nb_one_row(const nb_job *job, int32_t row)
{
    const nb_conv_last_config *c = job->c;
    const int32_t top = row * c->strides[0] - c->pads[0];
    nb_pixels p;
    int32_t column = 0;
    p.height = nb_inside(top, c->dilations[0], c->kernel[0], 0, c->in_dims[0]);
    while (column < c->out_dims[1]) {
        const int32_t left = column * c->strides[1] - c->pads[1];
        p.width.first = 0;
        p.width.end = c->kernel[1];
        p.at = ((ptrdiff_t)top * c->in_dims[1] + left) * c->x_pixel;
        p.to = ((ptrdiff_t)row * c->out_dims[1] + column) * c->y_pixel;
        if (column == job->inner.first && job->inner.end > column) {
            nb_inner_part(job, &p, job->inner.end - column);
            column = job->inner.end;
        } else {
            p.width = nb_inside(left, c->dilations[1], c->kernel[1], 0, c->in_dims[1]);
            nb_single(job, &p);
            column += 1;
        }
    }
}

void nb_depthwise_last_f32(const nb_conv_last_config *config, const float *x, const float *w,
                           const float *bias, const float *norm, const float *more, float *y)
{
    const nb_conv_last_config *c = config;
    const int32_t channels = c->out_channels;
    const int32_t reach = (c->kernel[1] - 1) * c->dilations[1];
    const ptrdiff_t in_size = (ptrdiff_t)channels * c->in_dims[0] * c->in_dims[1];
    const ptrdiff_t out_size = (ptrdiff_t)channels * c->out_dims[0] * c->out_dims[1];
    const uint32_t before = nb_watch();
    nb_job job;
    job.c = c;
    job.choice = nb_choose(channels);
    job.inner = nb_inside(-c->pads[1], c->strides[1], c->out_dims[1], 0, c->in_dims[1] - reach);
    for (ptrdiff_t sample = 0; sample < c->batch; ++sample) {
        const nb_lanes first = {w, channels, bias, norm,
                                more == NULL ? NULL : more + sample * out_size,
                                y + sample * out_size};
        job.first = first;
        job.x = x + sample * in_size;
        NB_PARALLEL(c->out_dims[0] > 1, out_size * c->kernel[0] * c->kernel[1])
        for (int32_t row = 0; row < c->out_dims[0]; ++row) {
            nb_one_row(&job, row);
        }
    }
    nb_unwatch(before);
}
