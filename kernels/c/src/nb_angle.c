/* SPDX-License-Identifier: MIT-0 */
#include "nb_angle.h"

#include "nb_trigonometry.h"

#define NB_OF_ANGLE(NAME, FUNCTION)                                    \
    void NAME(const nb_angle_config *config, const float *x, float *y) \
    {                                                                  \
        for (int32_t i = 0; i < config->count; ++i) {                  \
            y[i] = FUNCTION(x[i]);                                     \
        }                                                              \
    }

NB_OF_ANGLE(nb_sin_f32, nb_sin)
NB_OF_ANGLE(nb_cos_f32, nb_cos)
NB_OF_ANGLE(nb_tan_f32, nb_tan)
NB_OF_ANGLE(nb_asin_f32, nb_asin)
NB_OF_ANGLE(nb_acos_f32, nb_acos)
NB_OF_ANGLE(nb_atan_f32, nb_atan)
