/* SPDX-License-Identifier: MIT-0 */
#include "nb_resize.h"

/* Resizes rows of numbers that lie side by side: tap after tap. */
static void nb_resize_row(const nb_resize_config *config, const float *x, const int32_t *places,
                          const float *weights, float *y)
{
    const int32_t size = config->out_size;
    for (int32_t at = 0; at < size; ++at) {
        y[at] = places[at] < 0 ? config->outside : x[places[at]] * weights[at];
    }
    for (int32_t tap = 1; tap < config->taps; ++tap) {
        const int32_t *from = places + (ptrdiff_t)tap * size;
        const float *by = weights + (ptrdiff_t)tap * size;
        for (int32_t at = 0; at < size; ++at) {
            y[at] = places[at] < 0 ? y[at] : y[at] + x[from[at]] * by[at];
        }
    }
}

/* Makes one row of results, each from a few rows. */
static void nb_resize_rows(const nb_resize_config *config, const float *x, const int32_t *places,
                           const float *weights, float *y)
{
    const int32_t inner = config->inner;
    if (places[0] < 0) {
        for (int32_t i = 0; i < inner; ++i) {
            y[i] = config->outside;
        }
        return;
    }
    for (int32_t tap = 0; tap < config->taps; ++tap) {
        const ptrdiff_t entry = (ptrdiff_t)tap * config->out_size;
        const float *from = x + (ptrdiff_t)places[entry] * inner;
        const float weight = weights[entry];
        if (tap == 0) {
            for (int32_t i = 0; i < inner; ++i) {
                y[i] = from[i] * weight;
            }
        } else {
            for (int32_t i = 0; i < inner; ++i) {
                y[i] += from[i] * weight;
            }
        }
    }
}

void nb_resize_f32(const nb_resize_config *config, const float *x, const int32_t *places,
                   const float *weights, float *y)
{
    const ptrdiff_t inner = config->inner;
    for (int32_t outer = 0; outer < config->outer; ++outer) {
        if (inner == 1) {
            nb_resize_row(config, x, places, weights, y);
        } else {
            for (int32_t at = 0; at < config->out_size; ++at) {
                nb_resize_rows(config, x, places + at, weights + at, y + at * inner);
            }
        }
        x += config->in_size * inner;
        y += config->out_size * inner;
    }
}
