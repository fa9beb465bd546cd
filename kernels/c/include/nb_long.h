/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_long: the states of an LSTM after the sums of its gates i, o, f and c.
 */
#ifndef NB_LONG_H
#define NB_LONG_H

#include "nb_exp.h"

/* Peepholes are [3][hidden], of gates i, o and f, or NULL. */
static inline void nb_remember(int32_t hidden, const float *peepholes, const float *sums, float *h,
                               float *c)
{
    for (int32_t i = 0; i < hidden; ++i) {
        const float before = c[i];
        float let_in = sums[i];
        float let_out = sums[hidden + i];
        float keep = sums[2 * hidden + i];
        if (peepholes != NULL) {
            let_in += peepholes[i] * before;
            keep += peepholes[2 * hidden + i] * before;
        }
        const float kept = nb_sigmoid(keep) * before;
        const float memory = kept + nb_sigmoid(let_in) * nb_tanh(sums[3 * hidden + i]);
        if (peepholes != NULL) {
            let_out += peepholes[hidden + i] * memory;
        }
        c[i] = memory;
        h[i] = nb_sigmoid(let_out) * nb_tanh(memory);
    }
}

#endif
