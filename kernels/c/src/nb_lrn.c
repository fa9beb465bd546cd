/* SPDX-License-Identifier: MIT-0 */
#include "nb_lrn.h"

#include "nb_pow.h"
#include "nb_vec.h"

#define NB_TOGETHER NB_VL /* channels whose powers are computed together */

/*
 * Replaces numbers by their powers. Those above 0 that are not subnormal go the usual way, all
 * at once, unless the exponent is one that has a way of its own.
 */
static inline void nb_raise(float *x, float y)
{
    const int is_own = nb_trunc(y) == y && nb_abs(y) <= 3.0f;
    int is_usual = NB_VL > 1 && !is_own && nb_abs(y) < NB_INFINITY;
    for (int32_t i = 0; i < NB_TOGETHER; ++i) {
        is_usual &= (x[i] >= 1.17549435e-38f) & (x[i] < NB_INFINITY);
    }
    if (is_usual) {
        for (int32_t i = 0; i < NB_TOGETHER; ++i) {
            x[i] = nb_pow_of(nb_log2_normal(x[i], 127.0f), y);
        }
    } else {
        for (int32_t i = 0; i < NB_TOGETHER; ++i) {
            x[i] = nb_pow(x[i], y);
        }
    }
}

/* The sum of the squares of a channel and its neighbours. */
static inline float nb_squares(const nb_lrn_config *c, int32_t channel, const float *x)
{
    const int32_t low = channel < c->before ? 0 : channel - c->before;
    const int32_t left = c->channels - channel;
    const int32_t end = c->behind < left ? channel + c->behind + 1 : c->channels;
    float total = 0.0f;
    for (int32_t k = low; k < end; ++k) {
        total += x[k] * x[k];
    }
    return total;
}

void nb_lrn_f32(const nb_lrn_config *config, const float *x, float *scratch, float *y)
{
    const ptrdiff_t inner = config->inner;
    const int32_t channels = config->channels;
    for (int32_t sample = 0; sample < config->batch; ++sample) {
        for (int32_t i = 0; i < config->inner; ++i) {
            for (int32_t channel = 0; channel < channels; ++channel) {
                scratch[channel] = x[channel * inner + i];
            }
            for (int32_t first = 0; first < channels; first += NB_TOGETHER) {
                const int32_t left = channels - first;
                const int32_t count = left < NB_TOGETHER ? left : NB_TOGETHER;
                float base[NB_TOGETHER];
                for (int32_t k = 0; k < NB_TOGETHER; ++k) {
                    base[k] = 1.0f;
                }
                for (int32_t k = 0; k < count; ++k) {
                    base[k] = config->bias + config->alpha * nb_squares(config, first + k, scratch);
                }
                nb_raise(base, config->beta);
                for (int32_t k = 0; k < count; ++k) {
                    y[(first + k) * inner + i] = scratch[first + k] / base[k];
                }
            }
        }
        x += channels * inner;
        y += channels * inner;
    }
}
