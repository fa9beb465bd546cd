/* SPDX-License-Identifier: MIT-0 */
#include "nb_resize.h"

void nb_resize_f32(const nb_resize_config *config, const float *x, const int32_t *places,
                   const float *weights, float *y)
{
    const ptrdiff_t inner = config->inner;
    for (int32_t outer = 0; outer < config->outer; ++outer) {
        for (int32_t at = 0; at < config->out_size; ++at) {
            for (int32_t i = 0; i < config->inner; ++i) {
                if (places[at] < 0) {
                    y[i] = config->outside;
                    continue;
                }
                float sum = x[places[at] * inner + i] * weights[at];
                for (int32_t tap = 1; tap < config->taps; ++tap) {
                    const int32_t entry = tap * config->out_size + at;
                    sum += x[places[entry] * inner + i] * weights[entry];
                }
                y[i] = sum;
            }
            y += inner;
        }
        x += config->in_size * inner;
    }
}
