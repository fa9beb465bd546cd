/* SPDX-License-Identifier: MIT-0 */
#include "nb_point_last.h"

#define NB_TAPS NB_ALL_TAPS_1
#include "nb_conv_last_tiles.h"

#define NB_CHUNK 96 /* pixels that all channels are computed for before the next ones */

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
        NB_OVER_LANES_OF(c, job, nb_several(c, &l, &p, size, choice, job->x);)
    }
}

void nb_point_last_f32(const nb_conv_last_config *config, const float *x, const float *w,
                       const float *bias, const float *norm, const float *more, float *y)
{
    const nb_job all = {x, w, bias, norm, more, NULL, y};
    const uint32_t before = nb_watch();
    for (ptrdiff_t sample = 0; sample < config->batch; ++sample) {
        const nb_job job = nb_job_of(config, &all, sample);
        nb_pointwise(config, &job);
    }
    nb_unwatch(before);
}
