/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_taps: which taps of a convolution lie inside of the input, and going over them.
 */
#ifndef NB_CONV_TAPS_H
#define NB_CONV_TAPS_H

#include "nb_conv.h"
#include "nb_taps.h"

/* What is the same for all results of a convolution. */
typedef struct nb_conv_steps {
    ptrdiff_t channel; /* from one place of the input to the next one, in elements */
    ptrdiff_t depth;
    ptrdiff_t line;
    ptrdiff_t column;
    ptrdiff_t out_channel; /* from one channel of the result to the next */
    int32_t taps;          /* of a channel */
    nb_range inner;     /* columns of the result for which all columns of the kernel are inside */
    nb_range lines;     /* rows of the result for which all rows of the kernel are inside */
} nb_conv_steps;

/* Where a result lies, and which taps are inside for it. */
typedef struct nb_conv_place {
    nb_range depth;
    nb_range height;
    nb_range width;
    ptrdiff_t start; /* of the data under its first tap, inside or not */
} nb_conv_place;

static inline nb_range nb_inner_range(const nb_conv_config *c, int32_t axis)
{
    const int32_t reach = (c->kernel[axis] - 1) * c->dilations[axis];
    return nb_inside(-c->pads[axis], c->strides[axis], c->out_dims[axis], 0,
                     c->in_dims[axis] - reach);
}

/* The results of a channel. */
static inline ptrdiff_t nb_conv_results(const nb_conv_config *c)
{
    return (ptrdiff_t)c->out_dims[0] * c->out_dims[1] * c->out_dims[2];
}

static inline nb_conv_steps nb_conv_steps_of(const nb_conv_config *c)
{
    nb_conv_steps steps;
    steps.channel = c->x_channel;
    steps.depth = (ptrdiff_t)c->dilations[0] * c->in_dims[1] * c->x_line;
    steps.line = (ptrdiff_t)c->dilations[1] * c->x_line;
    steps.column = c->dilations[2];
    steps.out_channel = c->y_channel;
    steps.taps = c->kernel[0] * c->kernel[1] * c->kernel[2];
    steps.inner = nb_inner_range(c, 2);
    steps.lines = nb_inner_range(c, 1);
    return steps;
}

/* From the first element of the input to behind the last one. */
static inline ptrdiff_t nb_conv_extent(const nb_conv_config *c)
{
    const ptrdiff_t channels = (ptrdiff_t)c->batch * c->groups * c->in_channels;
    const ptrdiff_t rows = (ptrdiff_t)c->in_dims[0] * c->in_dims[1];
    return (channels - 1) * c->x_channel + (rows - 1) * c->x_line + c->in_dims[2];
}

/* The first result of a row, with all columns of the kernel. */
static inline nb_conv_place nb_conv_row(const nb_conv_config *c, int32_t depth, int32_t line)
{
    const int32_t front = depth * c->strides[0] - c->pads[0];
    const int32_t top = line * c->strides[1] - c->pads[1];
    nb_conv_place place;
    place.depth = nb_inside(front, c->dilations[0], c->kernel[0], 0, c->in_dims[0]);
    place.height = nb_inside(top, c->dilations[1], c->kernel[1], 0, c->in_dims[1]);
    place.width.first = 0;
    place.width.end = c->kernel[2];
    place.start = ((ptrdiff_t)front * c->in_dims[1] + top) * c->x_line - c->pads[2];
    return place;
}

/* The result at a column of a row, with all columns of the kernel, or with those inside. */
static inline nb_conv_place nb_conv_inner(const nb_conv_config *c, const nb_conv_place *row,
                                          int32_t column)
{
    nb_conv_place place = *row;
    place.start += (ptrdiff_t)column * c->strides[2];
    return place;
}

static inline nb_conv_place nb_conv_at(const nb_conv_config *c, const nb_conv_place *row,
                                       int32_t column)
{
    const int32_t left = column * c->strides[2] - c->pads[2];
    nb_conv_place place = nb_conv_inner(c, row, column);
    place.width = nb_inside(left, c->dilations[2], c->kernel[2], 0, c->in_dims[2]);
    return place;
}

/*
 * Goes over the lines of taps of a place in their order. BODY sees the element of the input under
 * the first tap of the line as `line_data`, and that of the weights as `line_tap`, when taps are
 * WIDTH apart. Channels and the planes of each are one loop: most have a single plane.
 */
#define NB_OVER_LINES(C, STEPS, PLACE, WIDTH, BODY)                                               \
    {                                                                                             \
        const ptrdiff_t tap_line = (WIDTH) * (C)->kernel[2];                                      \
        const ptrdiff_t tap_plane = (C)->kernel[1] * tap_line;                                    \
        const int32_t depth = (PLACE)->depth.end - (PLACE)->depth.first;                          \
        const nb_range height = (PLACE)->height;                                                  \
        const ptrdiff_t over_data = (STEPS)->channel - depth * (STEPS)->depth;                    \
        const ptrdiff_t over_tap = (WIDTH) * (STEPS)->taps - depth * tap_plane;                   \
        ptrdiff_t plane_data = (PLACE)->start + (PLACE)->depth.first * (STEPS)->depth             \
            + height.first * (STEPS)->line;                                                       \
        ptrdiff_t plane_tap = (PLACE)->depth.first * tap_plane + height.first * tap_line;         \
        int32_t planes = depth;                                                                   \
        for (int32_t plane = (C)->in_channels * depth; plane > 0; --plane) {                      \
            ptrdiff_t line_data = plane_data;                                                     \
            ptrdiff_t line_tap = plane_tap;                                                       \
            for (int32_t kh = height.first; kh < height.end; ++kh) {                              \
                BODY                                                                              \
                line_data += (STEPS)->line;                                                       \
                line_tap += tap_line;                                                             \
            }                                                                                     \
            plane_data += (STEPS)->depth;                                                         \
            plane_tap += tap_plane;                                                               \
            if (--planes == 0) {                                                                  \
                planes = depth;                                                                   \
                plane_data += over_data;                                                          \
                plane_tap += over_tap;                                                            \
            }                                                                                     \
        }                                                                                         \
    }

#endif
