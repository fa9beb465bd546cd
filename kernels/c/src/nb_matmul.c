/* SPDX-License-Identifier: MIT-0 */
#include "nb_matmul.h"

#include "nb_matmul_blocks.h"

void nb_matmul_f32(const nb_matmul_config *config, const float *a, const float *b,
                   const float *bias, float *y)
{
    nb_all(config, a, b, bias, NULL, NULL, y);
}

void nb_gemm_finish_f32(const nb_gemm_finish_config *config, const float *bias, float *y)
{
    for (int32_t i = 0; i < config->rows; ++i) {
        for (int32_t j = 0; j < config->columns; ++j) {
            float *at = y + (ptrdiff_t)i * config->columns + j;
            *at = config->alpha * *at;
            if (bias != NULL) {
                *at += config->beta * bias[(ptrdiff_t)i * config->bias_row
                                           + (ptrdiff_t)j * config->bias_column];
            }
        }
    }
}
