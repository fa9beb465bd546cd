/* SPDX-License-Identifier: MIT-0 */
#include "nb_fold_windows.h"

void nb_fold_windows_f32(const nb_fold_windows_config *config, const float *x, float *y)
{
    const ptrdiff_t width = config->out_dims[1];
    const ptrdiff_t size = config->out_dims[0] * width;
    for (int32_t channel = 0; channel < config->channels; ++channel) {
        for (ptrdiff_t i = 0; i < size; ++i) {
            y[i] = 0.0f;
        }
        for (int32_t kh = 0; kh < config->kernel[0]; ++kh) {
            for (int32_t kw = 0; kw < config->kernel[1]; ++kw) {
                for (int32_t i = 0; i < config->counts[0]; ++i) {
                    const ptrdiff_t line = (ptrdiff_t)i * config->strides[0]
                        + (ptrdiff_t)kh * config->dilations[0];
                    float *to = y + line * width + (ptrdiff_t)kw * config->dilations[1];
                    for (int32_t j = 0; j < config->counts[1]; ++j) {
                        to[(ptrdiff_t)j * config->strides[1]] += *x++;
                    }
                }
            }
        }
        y += size;
    }
}
