/* SPDX-License-Identifier: MIT-0 */
#include "nb_reduce_extremes.h"

#include "nb_vec_float.h"

#if NB_VL == 1
NB_FOLD(nb_reduce_max_f32, float, float, -NB_INFINITY, nb_max(total, v), total)
NB_FOLD(nb_reduce_min_f32, float, float, NB_INFINITY, nb_min(total, v), total)
#else
NB_FOLD_LANES(nb_max_many, NB_SIDE_BY_SIDE, float, float, -NB_INFINITY, nb_max(total, v), total)
NB_FOLD_LANES(nb_max_one, 1, float, float, -NB_INFINITY, nb_max(total, v), total)
NB_FOLD_LANES(nb_min_many, NB_SIDE_BY_SIDE, float, float, NB_INFINITY, nb_min(total, v), total)
NB_FOLD_LANES(nb_min_one, 1, float, float, NB_INFINITY, nb_min(total, v), total)

/* Whether elements of one result lie side by side, vectors of them. */
static int nb_is_along_rows(const nb_reduce_config *c)
{
    const int32_t last = c->over_rank - 1;
    return c->over_strides[last] == 1 && c->over_dims[last] >= 4 * NB_VL &&
           !nb_is_empty(c->over_rank, c->over_dims);
}

/* The largest of numbers times `sign`, times `sign`, for one result: with -1 the smallest. */
static float nb_extreme(const nb_reduce_config *c, const float *x, float sign)
{
    const int32_t width = c->over_dims[c->over_rank - 1];
    nb_walk walk = {{0}, 0, 0, 0};
    nb_vec most = NB_ALL(-NB_INFINITY);
    nb_vec odd = {0}; /* NaN where one was */
    float lanes[NB_VL];
    float odds[NB_VL];
    float found = -NB_INFINITY;
    do {
        for (int32_t k = 0; k < width; k += NB_VL) {
            nb_vec v;
            nb_load_few(&v, x + walk.a + k, width - k, -sign * NB_INFINITY);
            v = sign * v;
            odd = NB_WHERE_SAME(v, v, odd, v);
            most = NB_LARGER(most, v);
        }
    } while (nb_next_row(&walk, c->over_rank, c->over_dims, c->over_strides, NULL, NULL));
    NB_BOUND(most);
    NB_BOUND(odd);
    NB_STORE(lanes, most);
    NB_STORE(odds, odd);
    if (NB_FLUSHES && nb_was_flushed()) {
        (sign > 0.0f ? nb_max_one : nb_min_one)(c, x, 0, &found);
        nb_forget();
        return found;
    }
    for (int32_t i = 0; i < NB_VL; ++i) {
        if (odds[i] != odds[i]) {
            return odds[i];
        }
        found = found < lanes[i] ? lanes[i] : found;
    }
    if (found == 0.0f) { /* the first zero decides */
        (sign > 0.0f ? nb_max_one : nb_min_one)(c, x, 0, &found);
        return found;
    }
    return sign * found;
}

static void nb_extremes(const nb_reduce_config *config, const float *x, float sign, float *y)
{
    const int32_t last = config->rank - 1;
    nb_walk walk = {{0}, 0, 0, 0};
    if (nb_is_empty(config->rank, config->dims)) {
        return;
    }
    const uint32_t before = nb_watch();
    do {
        for (int32_t i = 0; i < config->dims[last]; ++i) {
            *y++ = nb_extreme(config, x + walk.a + (ptrdiff_t)i * config->strides[last], sign);
        }
    } while (nb_next_row(&walk, config->rank, config->dims, config->strides, NULL, NULL));
    nb_unwatch(before);
}

void nb_reduce_max_f32(const nb_reduce_config *config, const float *x, float *y)
{
    if (nb_is_along_rows(config)) {
        nb_extremes(config, x, 1.0f, y);
        return;
    }
    NB_FOLD_BODY(nb_max_many, nb_max_one)
}

void nb_reduce_min_f32(const nb_reduce_config *config, const float *x, float *y)
{
    if (nb_is_along_rows(config)) {
        nb_extremes(config, x, -1.0f, y);
        return;
    }
    NB_FOLD_BODY(nb_min_many, nb_min_one)
}
#endif
