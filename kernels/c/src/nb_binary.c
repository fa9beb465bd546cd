/* SPDX-License-Identifier: MIT-0 */
#include "nb_binary.h"

void nb_add_f32(const nb_binary_config *config, const float *a, const float *b, float *y)
{
    const int32_t last = config->rank - 1;
    const int32_t width = config->dims[last];
    const int32_t a_step = config->a_strides[last];
    const int32_t b_step = config->b_strides[last];
    int32_t at[NB_MAX_RANK] = {0};
    int32_t axis = 0;
    if (width == 0) {
        return;
    }
    while (axis >= 0) {
        for (int32_t i = 0; i < width; ++i) {
            y[i] = a[i * a_step] + b[i * b_step];
        }
        y += width;
        for (axis = last - 1; axis >= 0; --axis) {
            a += config->a_strides[axis];
            b += config->b_strides[axis];
            if (++at[axis] < config->dims[axis]) {
                break;
            }
            a -= (ptrdiff_t)config->a_strides[axis] * config->dims[axis];
            b -= (ptrdiff_t)config->b_strides[axis] * config->dims[axis];
            at[axis] = 0;
        }
    }
}
