/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_fold_windows: columns put back in place as windows; where they overlap they are added up.
 *
 * A sum starts at 0; terms are added by tap of the kernel.
 */
#ifndef NB_FOLD_WINDOWS_H
#define NB_FOLD_WINDOWS_H

#include "nb_common.h"

typedef struct nb_fold_windows_config {
    int32_t channels;      /* of all samples */
    int32_t out_dims[2];
    int32_t counts[2];     /* windows along each dimension */
    int32_t kernel[2];
    int32_t strides[2];
    int32_t dilations[2];
} nb_fold_windows_config;

void nb_fold_windows_f32(const nb_fold_windows_config *config, const float *x, float *y);

#endif
