/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_lrn: normalization by neighbouring channels.
 */
#ifndef NB_LRN_H
#define NB_LRN_H

#include "nb_common.h"

typedef struct nb_lrn_config {
    int32_t batch;
    int32_t channels;
    int32_t inner;  /* elements of a channel */
    int32_t before; /* neighbours before a channel */
    int32_t behind; /* and behind it */
    float alpha;    /* already divided by the number of neighbours */
    float beta;
    float bias;
} nb_lrn_config;

/*
 * x / (bias + alpha * sum of squares of neighbouring channels) ^ beta. `scratch` holds a number for
 * each channel; y may be x.
 */
void nb_lrn_f32(const nb_lrn_config *config, const float *x, float *scratch, float *y);

#endif
