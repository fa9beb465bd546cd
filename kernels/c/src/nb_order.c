/* SPDX-License-Identifier: MIT-0 */
#include "nb_order.h"

/* Whether v goes before `best`; a number that is not itself is NaN. */
#define NB_ABOVE(V, BEST) ((V) > (BEST) || ((V) != (V) && (BEST) == (BEST)))
#define NB_BELOW(V, BEST) ((V) < (BEST) || ((V) != (V) && (BEST) == (BEST)))
/* In the order of a sort NaN comes last when it ascends, first when it descends. */
#define NB_SORTS_BEFORE(V, BEST) ((V) < (BEST) || ((BEST) != (BEST) && (V) == (V)))

#define NB_ARG(NAME, TYPE, IS_BETTER)                                                  \
    void NAME(const nb_order_config *config, const TYPE *x, int64_t *y)                \
    {                                                                                  \
        const ptrdiff_t step = config->inner;                                          \
        for (int32_t outer = 0; outer < config->outer; ++outer) {                      \
            for (int32_t inner = 0; inner < config->inner; ++inner) {                  \
                const TYPE *from = x + (ptrdiff_t)outer * config->size * step + inner; \
                int32_t best = config->last != 0 ? config->size - 1 : 0;               \
                for (int32_t k = 1; k < config->size; ++k) {                           \
                    const int32_t at = config->last != 0 ? config->size - 1 - k : k;   \
                    best = IS_BETTER(from[at * step], from[best * step]) ? at : best;  \
                }                                                                      \
                *y++ = best;                                                           \
            }                                                                          \
        }                                                                              \
    }

/* Keeps the best elements so far in order, each new one put in its place among them. */
#define NB_TOP_K(NAME, TYPE)                                                               \
    void NAME(const nb_order_config *config, const TYPE *x, TYPE *values, int64_t *places) \
    {                                                                                      \
        const ptrdiff_t step = config->inner;                                              \
        const int32_t count = config->count;                                               \
        for (int32_t outer = 0; outer < config->outer; ++outer) {                          \
            for (int32_t inner = 0; inner < config->inner; ++inner) {                      \
                const TYPE *from = x + (ptrdiff_t)outer * config->size * step + inner;     \
                TYPE *best = values + (ptrdiff_t)outer * count * step + inner;             \
                int64_t *where = places + (ptrdiff_t)outer * count * step + inner;         \
                for (int32_t k = 0; k < config->size; ++k) {                               \
                    const TYPE v = from[k * step];                                         \
                    int32_t at = k < count ? k : count;                                    \
                    while (at > 0) {                                                       \
                        const TYPE other = best[(at - 1) * step];                          \
                        const int goes_before = config->backwards != 0                     \
                            ? NB_SORTS_BEFORE(v, other) : NB_ABOVE(v, other);              \
                        if (!goes_before) {                                                \
                            break;                                                         \
                        }                                                                  \
                        if (at < count) {                                                  \
                            best[at * step] = other;                                       \
                            where[at * step] = where[(at - 1) * step];                     \
                        }                                                                  \
                        --at;                                                              \
                    }                                                                      \
                    if (at < count) {                                                      \
                        best[at * step] = v;                                               \
                        where[at * step] = k;                                              \
                    }                                                                      \
                }                                                                          \
            }                                                                              \
        }                                                                                  \
    }

#define NB_DEFINE_ORDER(SUFFIX, TYPE, WIDE)     \
    NB_ARG(nb_arg_max_##SUFFIX, TYPE, NB_ABOVE) \
    NB_ARG(nb_arg_min_##SUFFIX, TYPE, NB_BELOW) \
    NB_TOP_K(nb_top_k_##SUFFIX, TYPE)

NB_INTEGERS(NB_DEFINE_ORDER)
NB_DEFINE_ORDER(f32, float, float)

#define NB_CUM_SUM(NAME, TYPE, WIDE)                                                      \
    void NAME(const nb_order_config *config, const TYPE *x, TYPE *y)                      \
    {                                                                                     \
        const ptrdiff_t step = config->inner;                                             \
        for (int32_t outer = 0; outer < config->outer; ++outer) {                         \
            for (int32_t inner = 0; inner < config->inner; ++inner) {                     \
                const ptrdiff_t start = (ptrdiff_t)outer * config->size * step + inner;   \
                WIDE total = 0;                                                           \
                for (int32_t k = 0; k < config->size; ++k) {                              \
                    const int32_t at = config->backwards != 0 ? config->size - 1 - k : k; \
                    const WIDE before = total;                                            \
                    total += (WIDE)x[start + at * step];                                  \
                    y[start + at * step] = (TYPE)(config->last != 0 ? before : total);    \
                }                                                                         \
            }                                                                             \
        }                                                                                 \
    }

NB_CUM_SUM(nb_cum_sum_f32, float, float)
NB_CUM_SUM(nb_cum_sum_i32, int32_t, uint32_t)
NB_CUM_SUM(nb_cum_sum_i64, int64_t, uint64_t)

void nb_trilu(const nb_trilu_config *config, const void *x, void *y)
{
    const size_t bytes = (size_t)config->bytes;
    const uint8_t *from = (const uint8_t *)x;
    uint8_t *to = (uint8_t *)y;
    for (int32_t batch = 0; batch < config->batch; ++batch) {
        for (int32_t row = 0; row < config->rows; ++row) {
            for (int32_t column = 0; column < config->columns; ++column) {
                const int32_t above = column - row - config->diagonal;
                if (config->is_upper != 0 ? above >= 0 : above <= 0) {
                    memmove(to, from, bytes);
                } else {
                    memset(to, 0, bytes);
                }
                from += bytes;
                to += bytes;
            }
        }
    }
}
