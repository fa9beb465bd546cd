/* SPDX-License-Identifier: MIT-0 */
#include "nb_reduce_more.h"

#include "nb_exp.h"
#include "nb_float.h"
#include "nb_log.h"

NB_FOLD_PLAIN(nb_reduce_prod_f32, float, float, 1.0f, total * v, total)
NB_FOLD_PLAIN(nb_reduce_l1_f32, float, float, 0.0f, total + nb_abs(v), total)
NB_FOLD_PLAIN(nb_reduce_l2_f32, float, float, 0.0f, total + v * v, nb_sqrt(total))
NB_FOLD_PLAIN(nb_reduce_sum_square_f32, float, float, 0.0f, total + v * v, total)
NB_FOLD_PLAIN(nb_reduce_log_sum_f32, float, float, 0.0f, total + v, nb_log(total))
NB_FOLD_LANES(nb_most_one, 1, float, float, -NB_INFINITY, nb_max(total, v), total)

/* ln of the sum of exp(x - most) plus `most`, for one result. */
static float nb_log_sum_exp(const nb_reduce_config *c, const float *x)
{
    const int32_t last = c->over_rank - 1;
    float most;
    float total = 0.0f;
    nb_walk walk = {{0}, 0, 0, 0};
    nb_most_one(c, x, 0, &most);
    most = nb_abs(most) < NB_INFINITY ? most : 0.0f;
    if (!nb_is_empty(c->over_rank, c->over_dims)) {
        do {
            const float *from = x + walk.a;
            for (int32_t k = 0; k < c->over_dims[last]; ++k) {
                total += nb_exp(*from - most);
                from += c->over_strides[last];
            }
        } while (nb_next_row(&walk, c->over_rank, c->over_dims, c->over_strides, NULL, NULL));
    }
    return nb_log(total) + most;
}

void nb_reduce_log_sum_exp_f32(const nb_reduce_config *config, const float *x, float *y)
{
    const int32_t last = config->rank - 1;
    nb_walk walk = {{0}, 0, 0, 0};
    if (nb_is_empty(config->rank, config->dims)) {
        return;
    }
    do {
        for (int32_t i = 0; i < config->dims[last]; ++i) {
            *y++ = nb_log_sum_exp(config, x + walk.a + (ptrdiff_t)i * config->strides[last]);
        }
    } while (nb_next_row(&walk, config->rank, config->dims, config->strides, NULL, NULL));
}
