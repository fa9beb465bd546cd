/* SPDX-License-Identifier: MIT-0 */
#include "nb_depthwise_last.h"

#include "nb_finish.h"
#include "nb_taps.h"

#define NB_SIDE 8 /* pixels of a row that are computed together */

/* Pixels of a row: the taps that are inside, and where the first pixel lies. */
typedef struct nb_pixels {
    nb_range height;
    nb_range width;
    ptrdiff_t at; /* of the element under the first tap, inside or not */
    ptrdiff_t to; /* of the first pixel in y */
} nb_pixels;

typedef void (*nb_tile)(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                        const float *x);

/*
 * Defines the computation of PIXELS pixels, STRIDE apart, of LANES channels, by the taps from FIRST
 * on, before END, of each row of the kernel, whose data are DILATION pixels apart.
 */
#define NB_TILE(NAME, PIXELS, STRIDE, FIRST, END, DILATION, TYPE, LANES, KIND)                   \
    static void NAME(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,        \
                     const float *x)                                                             \
    {                                                                                            \
        const ptrdiff_t pixel = c->x_pixel;                                                      \
        const ptrdiff_t line = (ptrdiff_t)c->dilations[0] * c->in_dims[1] * pixel;               \
        const ptrdiff_t width = l->width;                                                        \
        const ptrdiff_t to = p->to;                                                              \
        const ptrdiff_t out = c->y_pixel;                                                        \
        TYPE sum[PIXELS][1];                                                                     \
        NB_UNROLLED                                                                              \
        for (int32_t i = 0; i < (PIXELS); ++i) {                                                 \
            sum[i][0] = KIND##_ALL(0.0f);                                                        \
            if (l->bias != NULL) {                                                               \
                sum[i][0] = KIND##_LOAD(l->bias);                                                \
            }                                                                                    \
        }                                                                                        \
        for (int32_t kh = p->height.first; kh < p->height.end; ++kh) {                           \
            const float *from = x + p->at + kh * line;                                           \
            const float *factors = l->w + (ptrdiff_t)kh * c->kernel[1] * width;                  \
            NB_UNROLLED                                                                          \
            for (int32_t kw = (FIRST); kw < (END); ++kw) {                                       \
                const TYPE factor = KIND##_LOAD(factors + kw * width);                           \
                NB_UNROLLED                                                                      \
                for (int32_t i = 0; i < (PIXELS); ++i) {                                         \
                    const ptrdiff_t at = (i * (STRIDE) + kw * (DILATION)) * pixel;               \
                    sum[i][0] += factor * KIND##_LOAD(from + at);                                \
                }                                                                                \
            }                                                                                    \
        }                                                                                        \
        NB_FINISH(PIXELS, 1, TYPE, LANES, KIND)                                                  \
    }

/* Pixels side by side by kernels of 3 columns, by any, and a pixel by the taps that are inside. */
#define NB_TILES(SUFFIX, TYPE, LANES, KIND)                                                     \
    NB_TILE(nb_tile_1_3##SUFFIX, NB_SIDE, 1, 0, 3, 1, TYPE, LANES, KIND)                        \
    NB_TILE(nb_tile_2_3##SUFFIX, NB_SIDE, 2, 0, 3, 1, TYPE, LANES, KIND)                        \
    NB_TILE(nb_half_1_3##SUFFIX, NB_SIDE / 2, 1, 0, 3, 1, TYPE, LANES, KIND)                    \
    NB_TILE(nb_half_2_3##SUFFIX, NB_SIDE / 2, 2, 0, 3, 1, TYPE, LANES, KIND)                    \
    NB_TILE(nb_tile_any##SUFFIX, NB_SIDE, c->strides[1], 0, c->kernel[1], c->dilations[1],      \
            TYPE, LANES, KIND)                                                                  \
    NB_TILE(nb_half_any##SUFFIX, NB_SIDE / 2, c->strides[1], 0, c->kernel[1], c->dilations[1],  \
            TYPE, LANES, KIND)                                                                  \
    NB_TILE(nb_one##SUFFIX, 1, 1, p->width.first, p->width.end, c->dilations[1], TYPE, LANES, KIND)

NB_TILES(s, float, 1, NB_ONE)
#if NB_VL > 1
NB_TILES(v, nb_vec, NB_VL, NB)
#endif

/* Tiles for many pixels, half as many, and one. */
typedef struct nb_choice {
    int32_t lanes;
    nb_tile any[3];
    nb_tile by_3[2][3]; /* kernels of 3 columns, pixels 1 or 2 apart */
} nb_choice;

#define NB_CHOICE(LANES, S)                                    \
    {                                                          \
        LANES, {nb_tile_any##S, nb_half_any##S, nb_one##S},    \
        {                                                      \
            {nb_tile_1_3##S, nb_half_1_3##S, nb_one##S},       \
            {nb_tile_2_3##S, nb_half_2_3##S, nb_one##S},       \
        },                                                     \
    }

static const nb_choice *nb_choose(int32_t channels)
{
    static const nb_choice choices[] = {
#if NB_VL > 1
        NB_CHOICE(NB_VL, v),
#endif
        NB_CHOICE(1, s),
    };
    const nb_choice *choice = choices;
    while (choice->lanes > channels) {
        ++choice;
    }
    return choice;
}

/* Computes `count` pixels of a row; the last tile may compute some of them again. */
static void nb_several(const nb_conv_last_config *c, const nb_lanes *l, const nb_pixels *p,
                       int32_t count, const nb_tile *tiles, const float *x)
{
    const int32_t half = NB_SIDE / 2;
    int32_t done = 0;
    while (done < count) {
        const int32_t left = count - done;
        const int32_t which = left > half && count >= NB_SIDE ? 0 : (count >= half ? 1 : 2);
        const int32_t size = which == 0 ? NB_SIDE : (which == 1 ? half : 1);
        const ptrdiff_t from = left < size ? count - size : done;
        nb_pixels here = *p;
        here.at += from * c->strides[1] * c->x_pixel;
        here.to += from * c->y_pixel;
        tiles[which](c, l, &here, x);
        done = (int32_t)from + size;
    }
}

static void nb_one_row(const nb_conv_last_config *c, const nb_lanes *l, int32_t row,
                       const nb_choice *choice, const float *x)
{
    const int32_t top = row * c->strides[0] - c->pads[0];
    const int32_t reach = (c->kernel[1] - 1) * c->dilations[1];
    const int is_by_3 = c->kernel[1] == 3 && c->dilations[1] == 1 && c->strides[1] <= 2;
    const nb_tile *tiles = is_by_3 ? choice->by_3[c->strides[1] - 1] : choice->any;
    const nb_range inner =
        nb_inside(-c->pads[1], c->strides[1], c->out_dims[1], 0, c->in_dims[1] - reach);
    nb_pixels p;
    int32_t column = 0;
    p.height = nb_inside(top, c->dilations[0], c->kernel[0], 0, c->in_dims[0]);
    while (column < c->out_dims[1]) {
        const int is_inner = column == inner.first && inner.end > column;
        const int32_t count = is_inner ? inner.end - column : 1;
        const int32_t left = column * c->strides[1] - c->pads[1];
        p.width.first = 0;
        p.width.end = c->kernel[1];
        if (!is_inner) {
            p.width = nb_inside(left, c->dilations[1], c->kernel[1], 0, c->in_dims[1]);
        }
        p.at = ((ptrdiff_t)top * c->in_dims[1] + left) * c->x_pixel;
        p.to = ((ptrdiff_t)row * c->out_dims[1] + column) * c->y_pixel;
        nb_several(c, l, &p, count, tiles, x);
        column += count;
    }
}

void nb_depthwise_last_f32(const nb_conv_last_config *config, const float *x, const float *w,
                           const float *bias, const float *norm, const float *more, float *y)
{
    const nb_conv_last_config *c = config;
    const int32_t channels = c->out_channels;
    const nb_choice *choice = nb_choose(channels);
    const ptrdiff_t in_size = (ptrdiff_t)channels * c->in_dims[0] * c->in_dims[1];
    const ptrdiff_t out_size = (ptrdiff_t)channels * c->out_dims[0] * c->out_dims[1];
    for (ptrdiff_t sample = 0; sample < c->batch; ++sample) {
        for (int32_t row = 0; row < c->out_dims[0]; ++row) {
            for (int32_t lane = 0; lane < channels; lane += choice->lanes) {
                const int32_t last = channels - choice->lanes;
                const ptrdiff_t first = lane < last ? lane : last;
                nb_lanes l;
                l.w = w + first;
                l.width = channels;
                l.bias = bias == NULL ? NULL : bias + first;
                l.factor = norm == NULL ? NULL : norm + first;
                l.offset = norm == NULL ? NULL : norm + channels + first;
                l.more = more == NULL ? NULL : more + sample * out_size + first;
                l.y = y + sample * out_size + first;
                nb_one_row(c, &l, row, choice, x + sample * in_size + first);
            }
        }
    }
}
