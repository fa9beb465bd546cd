/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_packed_tiles: the tiles of nb_conv_packed, and of what does the same and more.
 *
 * A unit includes it once. nb_all serves both: with NB_WITH_THEN it does what `then` says.
 */
#ifndef NB_CONV_PACKED_TILES_H
#define NB_CONV_PACKED_TILES_H

#include "nb_conv_taps.h"
#include "nb_finish.h"
#include "nb_parallel.h"
#include "nb_subnormal.h"
#include "nb_sum_taps.h"

#define NB_PACK 32 /* output channels of a block of weights; the last block may have fewer */

/* Results that are computed together: from one to the next in the input and in the output. */
typedef struct nb_stride {
    ptrdiff_t data;
    ptrdiff_t out;
} nb_stride;

struct nb_tiles;

/* What a block of channels is computed from. */
typedef struct nb_block {
    const nb_conv_config *c;
    const nb_conv_steps *s;
    const struct nb_tiles *tiles;
    const float *x;
    const float *w;
    const float *bias;
    const float *norm;
    const float *more;
    float *y;        /* the first result of the block */
    ptrdiff_t width; /* of the block of weights */
} nb_block;

typedef void (*nb_tile)(const nb_block *b, const nb_conv_place *place, nb_stride stride, float *y);

/*
 * Defines the computation of PIXELS results of VECTORS * LANES channels each, in vectors of TYPE.
 * The sums stay in registers; each vector of weights serves all results.
 */
#define NB_TILE(NAME, PIXELS, STEP, COLUMN, WIDTH, TURNS, VECTORS, TYPE, LANES, KIND)           \
    static void NAME(const nb_block *b, const nb_conv_place *place, nb_stride stride, float *y) \
    {                                                                                           \
        const nb_conv_config *c = b->c;                                                         \
        const nb_conv_steps *s = b->s;                                                          \
        const float *x = b->x;                                                                  \
        const float *w = b->w;                                                                  \
        const nb_range by_3 = {0, 3};                                                           \
        const ptrdiff_t step = (STEP);                                                          \
        const ptrdiff_t width_of_block = b->width;                                              \
        TYPE sum[PIXELS][VECTORS];                                                              \
        float result[PIXELS][(VECTORS) * (LANES)];                                              \
        (void)by_3;                                                                             \
        NB_BEGIN(b->bias, PIXELS, VECTORS, LANES, KIND)                                         \
        NB_OVER_LINES(c, s, place, width_of_block, {                                            \
            const float *from = x + line_data + (WIDTH).first * (COLUMN);                       \
            const float *factors = w + line_tap + (WIDTH).first * width_of_block;               \
            TURNS                                                                               \
            for (int32_t kw = (WIDTH).first; kw < (WIDTH).end; ++kw) {                          \
                NB_ADD_TAP(from + i * step, PIXELS, VECTORS, TYPE, LANES, KIND)                 \
                from += (COLUMN);                                                               \
                factors += width_of_block;                                                      \
            }                                                                                   \
        })                                                                                      \
        NB_IF_THEN(if (c->then != 0) {                                                          \
            if ((c->then & NB_THEN_MORE) != 0) {                                                \
                nb_gather((PIXELS), (VECTORS) * (LANES), b->more + (y - b->y), s->out_channel,     \
                          stride.out, &result[0][0]);                                           \
            }                                                                                   \
            NB_THEN(sum, c, b->norm + j * (LANES), (ptrdiff_t)c->groups * c->out_channels, 1,   \
                    &result[i][j * (LANES)], PIXELS, VECTORS, TYPE, KIND)                       \
        })                                                                                      \
        NB_STORE_TILE(&result[i][j * (LANES)], PIXELS, VECTORS, KIND)                           \
        for (int32_t j = 0; j < (VECTORS) * (LANES); ++j) {                                     \
            NB_UNROLLED                                                                         \
            for (int32_t i = 0; i < (PIXELS); ++i) {                                            \
                y[j * s->out_channel + i * stride.out] = result[i][j];                             \
            }                                                                                   \
        }                                                                                       \
    }

/* A tile for any kernel, or for columns side by side of a kernel with three of them. */
#define NB_TILE_ANY(NAME, PIXELS, ...) \
    NB_TILE(NAME, PIXELS, stride.data, s->column, place->width, , __VA_ARGS__)
#define NB_TILE_3(NAME, PIXELS, ...) \
    NB_TILE(NAME, PIXELS, 1, 1, by_3, NB_UNROLLED, __VA_ARGS__)

/* Tiles for many results, half as many, and one; VECTORS, TYPE, LANES and KIND follow. */
#define NB_TILES(SUFFIX, ...)                                \
    NB_TILE_3(nb_tile_r##SUFFIX, NB_HIGH, __VA_ARGS__)       \
    NB_TILE_ANY(nb_tile_p##SUFFIX, NB_HIGH, __VA_ARGS__)     \
    NB_TILE_ANY(nb_tile_h##SUFFIX, NB_HIGH / 2, __VA_ARGS__) \
    NB_TILE_ANY(nb_tile_1##SUFFIX, 1, __VA_ARGS__)

#if NB_VL > 1
#if NB_WIDE > 1
NB_TILES(a, 2, nb_vec, NB_VL, NB)
#endif
NB_TILES(b, 1, nb_vec, NB_VL, NB)
#endif
#if defined(NB_REGISTER)
NB_TILES(c, 1, nb_four, 4, NB_FOUR)
#else
NB_TILES(c, 4, float, 1, NB_ONE)
#endif
NB_TILES(d, 1, float, 1, NB_ONE)

/* A choice of tiles: for many results, those of kernels of 3 columns first, fewer, and one. */
typedef struct nb_tiles {
    int32_t lanes;
    nb_tile row;
    nb_tile many;
    nb_tile half;
    nb_tile one;
} nb_tiles;

static const nb_tiles *nb_choose_tiles(int32_t channels)
{
    static const nb_tiles choices[] = {
#if NB_VL > 1
#if NB_WIDE > 1
        {2 * NB_VL, nb_tile_ra, nb_tile_pa, nb_tile_ha, nb_tile_1a},
#endif
        {NB_VL, nb_tile_rb, nb_tile_pb, nb_tile_hb, nb_tile_1b},
#endif
        {4, nb_tile_rc, nb_tile_pc, nb_tile_hc, nb_tile_1c},
        {1, nb_tile_rd, nb_tile_pd, nb_tile_hd, nb_tile_1d},
    };
    int32_t i = 0;
    while (choices[i].lanes > channels) {
        ++i;
    }
    return &choices[i];
}

/*
 * Computes `count` results, `stride` apart, that have the same taps inside. The last tile may
 * compute some of them again, to the same bits.
 */
static void nb_several(const nb_block *b, const nb_conv_place *first, int32_t count,
                       nb_stride stride, float *y)
{
    const int is_3 = first->width.first == 0 && first->width.end == 3 && stride.data == 1
        && b->s->column == 1;
    const nb_tile many = is_3 ? b->tiles->row : b->tiles->many;
    /* What is left for half a tile: by vectors, four in a row are as quick as two that are none. */
    const int32_t half = is_3 && NB_VL > 1 && NB_HIGH == 4 ? 0 : NB_HIGH / 2;
    int32_t done = 0;
    while (done < count) {
        const int32_t left = count - done;
        int32_t size = left > half ? NB_HIGH : NB_HIGH / 2;
        nb_tile tile = left > half ? many : b->tiles->half;
        if (count < size) {
            size = count >= NB_HIGH / 2 ? NB_HIGH / 2 : 1;
            tile = count >= NB_HIGH / 2 ? b->tiles->half : b->tiles->one;
        }
        const int32_t from = left < size ? count - size : done;
        nb_conv_place place = *first;
        place.start += from * stride.data;
        tile(b, &place, stride, y + from * stride.out);
        if (NB_FLUSHES && nb_was_flushed() && b->tiles->lanes == 4) { /* vectors of four */
            tile = size == NB_HIGH ? nb_tile_pc : (size > 1 ? nb_tile_hc : nb_tile_1c);
            tile(b, &place, stride, y + from * stride.out);
            nb_forget();
        }
        done = from + size;
    }
}

/* Computes the results of a row for which all columns of the kernel are inside. */
static void nb_inner_part(const nb_block *b, const nb_conv_place *row, float *y)
{
    const nb_range inner = b->s->inner;
    const nb_conv_place place = nb_conv_inner(b->c, row, inner.first);
    const nb_stride along = {b->c->strides[2], 1};
    nb_several(b, &place, inner.end - inner.first, along, y + inner.first);
}

/* Computes the other columns for `count` rows that have the same taps inside. */
static void nb_outer_part(const nb_block *b, const nb_conv_place *row, int32_t count, float *y)
{
    const nb_range inner = b->s->inner;
    const nb_stride down = {(ptrdiff_t)b->c->strides[1] * b->c->x_line, b->c->out_dims[2]};
    for (int32_t column = 0; column < b->c->out_dims[2]; ++column) {
        if (column < inner.first || column >= inner.end) {
            const nb_conv_place place = nb_conv_at(b->c, row, column);
            nb_several(b, &place, count, down, y + column);
        }
    }
}

/* Computes all results of some channels. */
static void nb_all_rows(const nb_block *b)
{
    float *y = b->y;
    const int32_t lines = b->c->out_dims[1];
    const nb_range inner = b->s->lines;
    for (int32_t depth = 0; depth < b->c->out_dims[0]; ++depth) {
        int32_t line = 0;
        while (line < lines) {
            const nb_conv_place row = nb_conv_row(b->c, depth, line);
            const int32_t count = line == inner.first && inner.end > line ? inner.end - line : 1;
            nb_outer_part(b, &row, count, y);
            for (int32_t i = 0; i < count; ++i) {
                nb_conv_place here = row;
                here.start += (ptrdiff_t)i * b->c->strides[1] * b->c->x_line;
                nb_inner_part(b, &here, y);
                y += b->c->out_dims[2];
            }
            line += count;
        }
    }
}

/* Computes some channels of a block, as many at once as there are lanes. */
static void nb_packed_block(const nb_block *all, int32_t channels)
{
    const nb_tiles *tiles = nb_choose_tiles(channels);
    for (int32_t lane = 0; lane < channels; lane += tiles->lanes) {
        const int32_t last = channels - tiles->lanes;
        const ptrdiff_t first = lane < last ? lane : last;
        const ptrdiff_t to = first * all->s->out_channel;
        nb_block block = *all;
        block.tiles = tiles;
        block.w += first;
        block.bias = block.bias == NULL ? NULL : block.bias + first;
        block.norm = block.norm == NULL ? NULL : block.norm + first;
        block.more = block.more == NULL ? NULL : block.more + to;
        block.y += to;
        block.width = channels;
        nb_all_rows(&block);
    }
}

static void nb_all(const nb_conv_config *config, const float *x, const float *w, const float *bias,
                   const float *norm, const float *more, float *y)
{
    const nb_conv_steps steps = nb_conv_steps_of(config);
    const ptrdiff_t results = config->out_channels * steps.out_channel;
    const uint32_t before = nb_watch();
    for (int32_t sample = 0; sample < config->batch; ++sample) {
        for (int32_t group = 0; group < config->groups; ++group) {
            NB_PARALLEL(config->out_channels > NB_PACK,
                        results * config->in_channels * steps.taps)
            for (int32_t out = 0; out < config->out_channels; out += NB_PACK) {
                const int32_t left = config->out_channels - out;
                const ptrdiff_t channel = (ptrdiff_t)group * config->out_channels + out;
                const ptrdiff_t to = out * steps.out_channel;
                const nb_block block = {config, &steps, NULL, x,
                                        w + channel * config->in_channels * steps.taps,
                                        bias == NULL ? NULL : bias + channel,
                                        norm == NULL ? NULL : norm + channel,
                                        more == NULL ? NULL : more + to, y + to, 0};
                nb_packed_block(&block, left < NB_PACK ? left : NB_PACK);
            }
            x += config->in_channels * steps.channel;
            y += results;
            more = more == NULL ? NULL : more + results;
        }
    }
    nb_unwatch(before);
}

#endif
