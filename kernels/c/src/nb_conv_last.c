/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_last.h"

#define NB_TAPS NB_ALL_TAPS
#include "nb_conv_last_tiles.h"

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
        nb_several(c, l, &p, count, choice, x);
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

void nb_conv_last_f32(const nb_conv_last_config *config, const float *x, const float *w,
                      const float *bias, const float *norm, const float *more, float *y)
{
    const nb_job all = {x, w, bias, norm, more, NULL, y};
    const uint32_t before = nb_watch();
    for (ptrdiff_t sample = 0; sample < config->batch; ++sample) {
        const nb_job job = nb_job_of(config, &all, sample);
        nb_rows(config, &job);
    }
    nb_unwatch(before);
}
