/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_packed_then.h"

#define NB_WITH_THEN
#define nb_conv_config nb_conv_then_config
#include "nb_conv_packed_tiles.h"

void nb_conv_packed_then_f32(const nb_conv_config *config, const float *x, const float *w,
                             const float *bias, const float *norm, const float *more, float *y)
{
    nb_all(config, x, w, bias, norm, more, y);
}
