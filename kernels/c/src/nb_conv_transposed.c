/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_transposed.h"

#include "nb_taps.h"

/* Adds what one tap makes of one input channel: each element goes to a place of its own. */
static void nb_spread(const nb_conv_transposed_config *c, const float *x, float factor,
                      const int32_t *tap, float *y)
{
    const int32_t start = tap[2] * c->dilations[2] - c->pads[2];
    const ptrdiff_t step = c->strides[2];
    const nb_range columns = nb_inside(start, c->strides[2], c->in_dims[2], 0, c->out_dims[2]);
    for (int32_t i = 0; i < c->in_dims[0]; ++i) {
        const int32_t depth = i * c->strides[0] + tap[0] * c->dilations[0] - c->pads[0];
        for (int32_t j = 0; j < c->in_dims[1]; ++j) {
            const int32_t line = j * c->strides[1] + tap[1] * c->dilations[1] - c->pads[1];
            const int is_inside =
                depth >= 0 && depth < c->out_dims[0] && line >= 0 && line < c->out_dims[1];
            if (is_inside) {
                float *to = y + ((ptrdiff_t)depth * c->out_dims[1] + line) * c->out_dims[2];
                for (int32_t k = columns.first; k < columns.end; ++k) {
                    to[start + k * step] += factor * x[k];
                }
            }
            x += c->in_dims[2];
        }
    }
}

void nb_conv_transposed_f32(const nb_conv_transposed_config *config, const float *x,
                            const float *w, const float *bias, float *y)
{
    const ptrdiff_t kernel_size =
        (ptrdiff_t)config->kernel[0] * config->kernel[1] * config->kernel[2];
    const ptrdiff_t in_size =
        (ptrdiff_t)config->in_dims[0] * config->in_dims[1] * config->in_dims[2];
    const ptrdiff_t out_size =
        (ptrdiff_t)config->out_dims[0] * config->out_dims[1] * config->out_dims[2];
    for (int32_t sample = 0; sample < config->batch; ++sample) {
        for (int32_t out = 0; out < config->groups * config->out_channels; ++out) {
            const int32_t first = (out / config->out_channels) * config->in_channels;
            for (ptrdiff_t i = 0; i < out_size; ++i) {
                y[i] = bias == NULL ? 0.0f : bias[out];
            }
            for (int32_t in = first; in < first + config->in_channels; ++in) {
                const float *from =
                    x + ((ptrdiff_t)sample * config->groups * config->in_channels + in) * in_size;
                const float *factor = w
                    + ((ptrdiff_t)in * config->out_channels + out % config->out_channels)
                        * kernel_size;
                int32_t tap[3];
                for (tap[0] = 0; tap[0] < config->kernel[0]; ++tap[0]) {
                    for (tap[1] = 0; tap[1] < config->kernel[1]; ++tap[1]) {
                        for (tap[2] = 0; tap[2] < config->kernel[2]; ++tap[2]) {
                            nb_spread(config, from, *factor++, tap, y);
                        }
                    }
                }
            }
            y += out_size;
        }
    }
}
