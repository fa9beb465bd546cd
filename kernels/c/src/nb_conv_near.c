/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_near.h"

#define NB_TAPS NB_ALL_TAPS_FROM
#include "nb_conv_last_tiles.h"

#define NB_MOST_TAPS 25 /* of a channel */

/* What is under each tap for NB_HIGH pixels, from a first one on; outside of x it is zeros. */
typedef struct nb_table {
    int32_t first; /* pixel, or -1 */
    const float *from[NB_MOST_TAPS * NB_HIGH];
} nb_table;

static void nb_fill_table(const nb_conv_last_config *c, const nb_job *job, int32_t first,
                          nb_table *table)
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
        const int32_t which = nb_which(choice, count - done, count);
        const int32_t size = nb_size_of(which);
        const int32_t first = count - done < size ? count - size : done;
        if (table->first != first) {
            nb_fill_table(c, job, first, table);
        }
        p.to = (ptrdiff_t)first * c->y_pixel;
        nb_run(c, l, &p, which, choice, job->x);
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

void nb_conv_near_f32(const nb_conv_last_config *config, const float *x, const float *w,
                      const float *bias, const float *norm, const float *more,
                      const float *outside, float *y)
{
    const nb_job all = {x, w, bias, norm, more, outside, y};
    const uint32_t before = nb_watch();
    for (ptrdiff_t sample = 0; sample < config->batch; ++sample) {
        const nb_job job = nb_job_of(config, &all, sample);
        nb_anywhere(config, &job);
    }
    nb_unwatch(before);
}
