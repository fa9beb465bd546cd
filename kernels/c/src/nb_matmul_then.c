/* SPDX-License-Identifier: MIT-0 */
#include "nb_matmul_then.h"

#define NB_WITH_THEN
#define nb_matmul_config nb_matmul_then_config
#include "nb_matmul_blocks.h"

void nb_matmul_then_f32(const nb_matmul_config *config, const float *a, const float *b,
                        const float *bias, const float *norm, const float *more, float *y)
{
    nb_all(config, a, b, bias, norm, more, y);
}
