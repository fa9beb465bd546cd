/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_packed.h"

#include "nb_conv_packed_tiles.h"

void nb_conv_packed_f32(const nb_conv_config *config, const float *x, const float *w,
                        const float *bias, float *y)
{
    nb_all(config, x, w, bias, NULL, NULL, y);
}
