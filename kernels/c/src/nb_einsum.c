/* SPDX-License-Identifier: MIT-0 */
#include "nb_einsum.h"

#include "nb_walk.h"

static ptrdiff_t nb_offset(int32_t rank, const int32_t *at, const int32_t *strides)
{
    ptrdiff_t offset = 0;
    for (int32_t axis = 0; axis < rank; ++axis) {
        offset += (ptrdiff_t)at[axis] * strides[axis];
    }
    return offset;
}

/* Goes to the next place; returns 0 behind the last one. */
static int nb_next_place(int32_t rank, const int32_t *dims, int32_t *at)
{
    for (int32_t axis = rank - 1; axis >= 0; --axis) {
        if (++at[axis] < dims[axis]) {
            return 1;
        }
        at[axis] = 0;
    }
    return 0;
}

static float nb_term(const nb_einsum_config *config, const float *const *operands,
                     const int32_t *at)
{
    const int32_t *const strides[4] = {config->a_over, config->b_over, config->c_over,
                                       config->d_over};
    float term = operands[0][nb_offset(config->over_rank, at, strides[0])];
    for (int32_t i = 1; i < config->operands; ++i) {
        term *= operands[i][nb_offset(config->over_rank, at, strides[i])];
    }
    return term;
}

void nb_einsum_f32(const nb_einsum_config *config, const float *a, const float *b, const float *c,
                   const float *d, float *y)
{
    const float *const operands[4] = {a, b, c, d};
    const int32_t *const strides[4] = {config->a_strides, config->b_strides, config->c_strides,
                                       config->d_strides};
    int32_t at[NB_MAX_RANK] = {0};
    if (nb_is_empty(config->rank, config->dims)) {
        return;
    }
    do {
        int32_t over[NB_MAX_RANK] = {0};
        const float *starts[4] = {NULL, NULL, NULL, NULL};
        float sum = 0.0f;
        for (int32_t i = 0; i < config->operands; ++i) {
            starts[i] = operands[i] + nb_offset(config->rank, at, strides[i]);
        }
        if (!nb_is_empty(config->over_rank, config->over_dims)) {
            do {
                sum += nb_term(config, starts, over);
            } while (nb_next_place(config->over_rank, config->over_dims, over));
        }
        *y++ = sum;
    } while (nb_next_place(config->rank, config->dims, at));
}
