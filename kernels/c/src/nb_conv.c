/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv.h"

#include "nb_blocks.h"
#include "nb_taps.h"

/* Where a row of results is computed, or a piece of it. */
typedef struct nb_row {
    nb_range depth;  /* taps that lie inside, the same for the whole row */
    nb_range height;
    nb_range width;  /* these only for the piece */
    ptrdiff_t start; /* of the data under the first tap of the first result; may be negative */
} nb_row;

/* Numbers of elements from one channel, plane and line of the input to the next. */
static ptrdiff_t nb_plane_size(const nb_conv_config *c)
{
    return (ptrdiff_t)c->in_dims[1] * c->in_dims[2];
}

static ptrdiff_t nb_kernel_size(const nb_conv_config *c)
{
    return (ptrdiff_t)c->kernel[0] * c->kernel[1] * c->kernel[2];
}

static ptrdiff_t nb_out_size(const nb_conv_config *c)
{
    return (ptrdiff_t)c->out_dims[0] * c->out_dims[1] * c->out_dims[2];
}

/* Goes over the taps of a row in their order; BODY sees the places `data` in x and `tap` in w. */
#define NB_OVER_TAPS(C, ROW, CHANNELS, BODY)                                                      \
    for (int32_t channel = 0; channel < (CHANNELS); ++channel) {                                  \
        for (int32_t kd = (ROW)->depth.first; kd < (ROW)->depth.end; ++kd) {                      \
            for (int32_t kh = (ROW)->height.first; kh < (ROW)->height.end; ++kh) {                \
                const ptrdiff_t line = (ROW)->start                                               \
                    + (channel * (ptrdiff_t)(C)->in_dims[0] + kd * (C)->dilations[0])             \
                          * nb_plane_size(C)                                                      \
                    + (ptrdiff_t)kh * (C)->dilations[1] * (C)->in_dims[2];                        \
                const ptrdiff_t taps = ((channel * (ptrdiff_t)(C)->kernel[0] + kd)                \
                                            * (C)->kernel[1] + kh) * (C)->kernel[2];              \
                for (int32_t kw = (ROW)->width.first; kw < (ROW)->width.end; ++kw) {              \
                    const ptrdiff_t data = line + (ptrdiff_t)kw * (C)->dilations[2];              \
                    const ptrdiff_t tap = taps + kw;                                              \
                    BODY                                                                          \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
    }

/* --- Any weights: results of one channel, side by side along the columns ---------------------- */

typedef void (*nb_piece)(const nb_conv_config *c, const nb_row *row, const float *x,
                         const float *w, float bias, float *y);

#define NB_PIECE(NAME, LANES, STEP)                                                               \
    static void NAME(const nb_conv_config *c, const nb_row *row, const float *x, const float *w,  \
                     float bias, float *y)                                                        \
    {                                                                                             \
        const ptrdiff_t step = (STEP);                                                            \
        float sum[LANES];                                                                         \
        for (int32_t i = 0; i < (LANES); ++i) {                                                   \
            sum[i] = bias;                                                                        \
        }                                                                                         \
        NB_OVER_TAPS(c, row, c->in_channels, {                                                    \
            const float factor = w[tap];                                                          \
            const float *from = x + data;                                                         \
            NB_OVER_LANES                                                                         \
            for (int32_t i = 0; i < (LANES); ++i) {                                               \
                sum[i] += factor * from[i * step];                                                \
            }                                                                                     \
        })                                                                                        \
        for (int32_t i = 0; i < (LANES); ++i) {                                                   \
            y[i] = sum[i];                                                                        \
        }                                                                                         \
    }

NB_PIECE(nb_piece_1, 1, 1)
NB_PIECE(nb_piece_a1, NB_LANES, 1)
NB_PIECE(nb_piece_b1, NB_LANES / 2, 1)
NB_PIECE(nb_piece_c1, NB_LANES / 4, 1)
NB_PIECE(nb_piece_d1, NB_LANES / 8, 1)
NB_PIECE(nb_piece_a2, NB_LANES, 2)
NB_PIECE(nb_piece_b2, NB_LANES / 2, 2)
NB_PIECE(nb_piece_c2, NB_LANES / 4, 2)
NB_PIECE(nb_piece_d2, NB_LANES / 8, 2)
NB_PIECE(nb_piece_d, NB_LANES / 8, c->strides[2])

/* Choose how many results of `count` to compute at once, for steps 1 and 2; 1 for other steps. */
static nb_piece nb_choose_piece(int32_t step, int32_t count, int32_t *lanes)
{
    static const nb_piece choices[4][3] = {
        {nb_piece_a1, nb_piece_a2, nb_piece_d},
        {nb_piece_b1, nb_piece_b2, nb_piece_d},
        {nb_piece_c1, nb_piece_c2, nb_piece_d},
        {nb_piece_d1, nb_piece_d2, nb_piece_d},
    };
    int32_t width = NB_LANES;
    for (int32_t i = 0; i < 4; ++i) {
        if (count >= width && (step <= 2 || i == 3)) {
            *lanes = width;
            return choices[i][step <= 2 ? step - 1 : 2];
        }
        width /= 2;
    }
    *lanes = 1;
    return nb_piece_1;
}

/* The results along a row for which all columns of the kernel lie inside. */
static nb_range nb_inner_columns(const nb_conv_config *c)
{
    const int32_t reach = (c->kernel[2] - 1) * c->dilations[2];
    return nb_inside(-c->pads[2], c->strides[2], c->out_dims[2], 0, c->in_dims[2] - reach);
}

static nb_row nb_row_at(const nb_conv_config *c, int32_t depth, int32_t line)
{
    const int32_t top = line * c->strides[1] - c->pads[1];
    const int32_t front = depth * c->strides[0] - c->pads[0];
    nb_row row;
    row.depth = nb_inside(front, c->dilations[0], c->kernel[0], 0, c->in_dims[0]);
    row.height = nb_inside(top, c->dilations[1], c->kernel[1], 0, c->in_dims[1]);
    row.width.first = 0;
    row.width.end = c->kernel[2];
    row.start = front * nb_plane_size(c) + (ptrdiff_t)top * c->in_dims[2];
    return row;
}

/* Narrows a row to the result at `column`, with the taps that are inside there. */
static nb_row nb_at_column(const nb_conv_config *c, const nb_row *row, int32_t column)
{
    const int32_t left = column * c->strides[2] - c->pads[2];
    nb_row piece = *row;
    piece.start += left;
    piece.width = nb_inside(left, c->dilations[2], c->kernel[2], 0, c->in_dims[2]);
    return piece;
}

static void nb_any_row(const nb_conv_config *c, const nb_row *row, const float *x, const float *w,
                       float bias, float *y)
{
    const nb_range inner = nb_inner_columns(c);
    const int32_t count = inner.end - inner.first;
    int32_t lanes;
    const nb_piece piece = nb_choose_piece(c->strides[2], count, &lanes);
    for (int32_t column = 0; column < c->out_dims[2];) {
        int32_t first = column;
        int32_t width = 1;
        if (column >= inner.first && column < inner.end) {
            width = lanes; /* the last piece may be computed twice in part, to the same bits */
            first = column + lanes <= inner.end ? column : inner.end - lanes;
        }
        const nb_row at = nb_at_column(c, row, first);
        (width == 1 ? nb_piece_1 : piece)(c, &at, x, w, bias, y + first);
        column = first + width;
    }
}

void nb_conv_f32(const nb_conv_config *config, const float *x, const float *w, const float *bias,
                 float *y)
{
    const ptrdiff_t channel_size = config->in_dims[0] * nb_plane_size(config);
    const ptrdiff_t weights = config->in_channels * nb_kernel_size(config);
    const int32_t channels = config->groups * config->out_channels;
    for (int32_t sample = 0; sample < config->batch; ++sample) {
        for (int32_t out = 0; out < channels; ++out) {
            const int32_t group = out / config->out_channels;
            const float *from =
                x + ((ptrdiff_t)sample * config->groups + group) * config->in_channels * channel_size;
            for (int32_t depth = 0; depth < config->out_dims[0]; ++depth) {
                for (int32_t line = 0; line < config->out_dims[1]; ++line) {
                    const nb_row row = nb_row_at(config, depth, line);
                    nb_any_row(config, &row, from, w + out * weights,
                               bias == NULL ? 0.0f : bias[out], y);
                    y += config->out_dims[2];
                }
            }
        }
    }
}

/* --- Packed weights: results of many channels side by side ------------------------------------ */

#define NB_PACK 32 /* output channels of a block of weights; the last block may have fewer */

typedef void (*nb_tile)(const nb_conv_config *c, const nb_row *row, const float *x, const float *w,
                        ptrdiff_t width, const float *bias, float *y);

/* Defines the computation of PIXELS results along a row, of LANES channels each. */
#define NB_TILE(NAME, PIXELS, LANES)                                                              \
    static void NAME(const nb_conv_config *c, const nb_row *row, const float *x, const float *w,  \
                     ptrdiff_t width, const float *bias, float *y)                                \
    {                                                                                             \
        const ptrdiff_t step = c->strides[2];                                                     \
        const ptrdiff_t out_size = nb_out_size(c);                                                \
        float sum[PIXELS][LANES];                                                                 \
        for (int32_t i = 0; i < (PIXELS); ++i) {                                                  \
            for (int32_t j = 0; j < (LANES); ++j) {                                               \
                sum[i][j] = bias == NULL ? 0.0f : bias[j];                                        \
            }                                                                                     \
        }                                                                                         \
        NB_OVER_TAPS(c, row, c->in_channels, {                                                    \
            const float *from = x + data;                                                         \
            const float *factors = w + tap * width;                                               \
            for (int32_t i = 0; i < (PIXELS); ++i) {                                              \
                const float value = from[i * step];                                               \
                NB_OVER_LANES                                                                     \
                for (int32_t j = 0; j < (LANES); ++j) {                                           \
                    sum[i][j] += value * factors[j];                                              \
                }                                                                                 \
            }                                                                                     \
        })                                                                                        \
        for (int32_t j = 0; j < (LANES); ++j) {                                                   \
            for (int32_t i = 0; i < (PIXELS); ++i) {                                              \
                y[j * out_size + i] = sum[i][j];                                                  \
            }                                                                                     \
        }                                                                                         \
    }

NB_TILE(nb_tile_pa, NB_ROWS, NB_LANES)
NB_TILE(nb_tile_pb, NB_ROWS, NB_LANES / 2)
NB_TILE(nb_tile_pc, NB_ROWS, NB_LANES / 4)
NB_TILE(nb_tile_pd, NB_ROWS, NB_LANES / 8)
NB_TILE(nb_tile_p1, NB_ROWS, 1)
NB_TILE(nb_tile_ha, NB_ROWS / 2, NB_LANES)
NB_TILE(nb_tile_hb, NB_ROWS / 2, NB_LANES / 2)
NB_TILE(nb_tile_hc, NB_ROWS / 2, NB_LANES / 4)
NB_TILE(nb_tile_hd, NB_ROWS / 2, NB_LANES / 8)
NB_TILE(nb_tile_h1, NB_ROWS / 2, 1)
NB_TILE(nb_tile_1a, 1, NB_LANES)
NB_TILE(nb_tile_1b, 1, NB_LANES / 2)
NB_TILE(nb_tile_1c, 1, NB_LANES / 4)
NB_TILE(nb_tile_1d, 1, NB_LANES / 8)
NB_TILE(nb_tile_11, 1, 1)

/* A choice of tiles: for many, half as many and single results along a row. */
typedef struct nb_tiles {
    int32_t lanes;
    nb_tile many;
    nb_tile half;
    nb_tile one;
} nb_tiles;

static const nb_tiles *nb_choose_tiles(int32_t channels)
{
    static const nb_tiles choices[5] = {
        {NB_LANES, nb_tile_pa, nb_tile_ha, nb_tile_1a},
        {NB_LANES / 2, nb_tile_pb, nb_tile_hb, nb_tile_1b},
        {NB_LANES / 4, nb_tile_pc, nb_tile_hc, nb_tile_1c},
        {NB_LANES / 8, nb_tile_pd, nb_tile_hd, nb_tile_1d},
        {1, nb_tile_p1, nb_tile_h1, nb_tile_11},
    };
    int32_t i = 0;
    while (choices[i].lanes > channels) {
        ++i;
    }
    return &choices[i];
}

/* Computes a row of some channels, whose weights are `width` apart. */
static void nb_packed_row(const nb_conv_config *c, const nb_row *row, const nb_tiles *tiles,
                          const float *x, const float *w, ptrdiff_t width, const float *bias,
                          float *y)
{
    const nb_range inner = nb_inner_columns(c);
    for (int32_t column = 0; column < c->out_dims[2];) {
        const int32_t left = inner.end - inner.first;
        int32_t first = column;
        int32_t count = 1;
        nb_tile tile = tiles->one;
        if (column >= inner.first && column < inner.end && left >= NB_ROWS / 2) {
            const int is_half = left < NB_ROWS || inner.end - column <= NB_ROWS / 2;
            count = is_half ? NB_ROWS / 2 : NB_ROWS;
            tile = is_half ? tiles->half : tiles->many;
            first = column + count <= inner.end ? column : inner.end - count;
        }
        const nb_row at = nb_at_column(c, row, first);
        tile(c, &at, x, w, width, bias, y + first);
        column = first + count;
    }
}

/* Computes a block of channels, all of its rows. */
static void nb_packed_block(const nb_conv_config *c, const float *x, const float *w,
                            int32_t channels, const float *bias, float *y)
{
    const ptrdiff_t out_size = nb_out_size(c);
    const nb_tiles *tiles = nb_choose_tiles(channels);
    for (int32_t lane = 0; lane < channels; lane += tiles->lanes) {
        const int32_t last = channels - tiles->lanes;
        const ptrdiff_t first = lane < last ? lane : last;
        float *to = y + first * out_size;
        for (int32_t depth = 0; depth < c->out_dims[0]; ++depth) {
            for (int32_t line = 0; line < c->out_dims[1]; ++line) {
                const nb_row row = nb_row_at(c, depth, line);
                nb_packed_row(c, &row, tiles, x, w + first, channels,
                              bias == NULL ? NULL : bias + first, to);
                to += c->out_dims[2];
            }
        }
    }
}

void nb_conv_packed_f32(const nb_conv_config *config, const float *x, const float *w,
                        const float *bias, float *y)
{
    const ptrdiff_t channel_size = config->in_dims[0] * nb_plane_size(config);
    const ptrdiff_t taps = config->in_channels * nb_kernel_size(config);
    for (int32_t sample = 0; sample < config->batch; ++sample) {
        for (int32_t group = 0; group < config->groups; ++group) {
            for (int32_t out = 0; out < config->out_channels; out += NB_PACK) {
                const int32_t left = config->out_channels - out;
                const ptrdiff_t channel = (ptrdiff_t)group * config->out_channels + out;
                nb_packed_block(config, x, w + channel * taps, left < NB_PACK ? left : NB_PACK,
                                bias == NULL ? NULL : bias + channel, y);
                y += (left < NB_PACK ? left : NB_PACK) * nb_out_size(config);
            }
            x += config->in_channels * channel_size;
        }
    }
}
