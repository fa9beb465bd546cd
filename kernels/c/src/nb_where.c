/* SPDX-License-Identifier: MIT-0 */
#include "nb_where.h"

#include "nb_walk.h"

#define NB_WHERE(NAME, TYPE)                                                          \
    void NAME(const nb_where_config *config, const uint8_t *condition, const TYPE *a, \
              const TYPE *b, TYPE *y)                                                 \
    {                                                                                 \
        const int32_t last = config->rank - 1;                                        \
        const int32_t width = config->dims[last];                                     \
        const ptrdiff_t c_step = config->condition_strides[last];                     \
        const ptrdiff_t a_step = config->a_strides[last];                             \
        const ptrdiff_t b_step = config->b_strides[last];                             \
        nb_walk walk = {{0}, 0, 0, 0};                                                \
        if (nb_is_empty(config->rank, config->dims)) {                                \
            return;                                                                   \
        }                                                                             \
        do {                                                                          \
            for (int32_t i = 0; i < width; ++i) {                                     \
                const TYPE u = a[walk.a + i * a_step];                                \
                const TYPE v = b[walk.b + i * b_step];                                \
                y[i] = condition[walk.c + i * c_step] != 0u ? u : v;                  \
            }                                                                         \
            y += width;                                                               \
        } while (nb_next_row(&walk, config->rank, config->dims, config->a_strides,    \
                             config->b_strides, config->condition_strides));          \
    }

NB_WHERE(nb_where_8, uint8_t)
NB_WHERE(nb_where_16, uint16_t)
NB_WHERE(nb_where_32, uint32_t)
NB_WHERE(nb_where_64, uint64_t)
