/* SPDX-License-Identifier: MIT-0 */
#include "nb_unary.h"

void nb_relu_f32(const nb_unary_config *config, const float *x, float *y)
{
    const int32_t count = config->count;
    for (int32_t i = 0; i < count; ++i) {
        y[i] = x[i] < 0.0f ? 0.0f : x[i];
    }
}
