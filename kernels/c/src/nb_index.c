/* SPDX-License-Identifier: MIT-0 */
#include "nb_index.h"

#include "nb_walk.h"

/* A place that may count from the end, kept in [0, size). */
static inline ptrdiff_t nb_in_range(int64_t place, int32_t size)
{
    const int64_t from_start = place < 0 ? place + size : place;
    const int64_t not_low = from_start < 0 ? 0 : from_start;
    return (ptrdiff_t)(not_low < size ? not_low : size - 1);
}

#define NB_GATHER(NAME, PLACE)                                                             \
    void NAME(const nb_gather_config *config, const void *x, const PLACE *places, void *y) \
    {                                                                                      \
        const size_t bytes = (size_t)config->bytes;                                        \
        const uint8_t *from = (const uint8_t *)x;                                          \
        uint8_t *to = (uint8_t *)y;                                                        \
        for (int32_t outer = 0; outer < config->outer; ++outer) {                          \
            for (int32_t i = 0; i < config->count; ++i) {                                  \
                const ptrdiff_t place = nb_in_range(places[i], config->size);              \
                memcpy(to, from + place * config->bytes, bytes);                           \
                to += bytes;                                                               \
            }                                                                              \
            from += (size_t)config->size * bytes;                                          \
        }                                                                                  \
    }

NB_GATHER(nb_gather_i32, int32_t)
NB_GATHER(nb_gather_i64, int64_t)

/* Goes over all places; BODY sees where each points to as `there`, and its number as `i`. */
#define NB_OVER_PLACES(CONFIG, BODY)                                                     \
    const int32_t last = (CONFIG)->rank - 1;                                             \
    nb_walk walk = {{0}, 0, 0, 0};                                                       \
    ptrdiff_t i = 0;                                                                     \
    if (nb_is_empty((CONFIG)->rank, (CONFIG)->dims)) {                                   \
        return;                                                                          \
    }                                                                                    \
    do {                                                                                 \
        for (int32_t column = 0; column < (CONFIG)->dims[last]; ++column) {              \
            const ptrdiff_t there = walk.a + (ptrdiff_t)column * (CONFIG)->strides[last] \
                + nb_in_range(places[i], (CONFIG)->size) * (CONFIG)->step;               \
            BODY                                                                         \
            ++i;                                                                         \
        }                                                                                \
    } while (nb_next_row(&walk, (CONFIG)->rank, (CONFIG)->dims, (CONFIG)->strides, NULL, NULL));

#define NB_ELEMENTS(SUFFIX, PLACE)                                                               \
    void nb_gather_elements_##SUFFIX(const nb_gather_elements_config *config, const void *x,     \
                                     const PLACE *places, void *y)                               \
    {                                                                                            \
        const ptrdiff_t bytes = config->bytes;                                                   \
        NB_OVER_PLACES(config, {                                                                 \
            memcpy((uint8_t *)y + i * bytes, (const uint8_t *)x + there * bytes, (size_t)bytes); \
        })                                                                                       \
    }                                                                                            \
    void nb_scatter_elements_##SUFFIX(const nb_gather_elements_config *config,                   \
                                      const PLACE *places, const void *updates, void *y)         \
    {                                                                                            \
        const ptrdiff_t bytes = config->bytes;                                                   \
        NB_OVER_PLACES(config, {                                                                 \
            memcpy((uint8_t *)y + there * bytes, (const uint8_t *)updates + i * bytes,           \
                   (size_t)bytes);                                                               \
        })                                                                                       \
    }                                                                                            \
    void nb_scatter_add_f32_##SUFFIX(const nb_gather_elements_config *config,                    \
                                     const PLACE *places, const float *updates, float *y)        \
    {                                                                                            \
        NB_OVER_PLACES(config, { y[there] += updates[i]; })                                      \
    }

NB_ELEMENTS(i32, int32_t)
NB_ELEMENTS(i64, int64_t)

/* Goes over all places with several coordinates; BODY sees their offset in bytes as `there`. */
#define NB_OVER_ND(CONFIG, BODY)                                                                  \
    const size_t bytes = (size_t)(CONFIG)->bytes;                                                 \
    size_t i = 0u;                                                                                \
    for (int32_t batch = 0; batch < (CONFIG)->batch; ++batch) {                                   \
        for (int32_t n = 0; n < (CONFIG)->count; ++n) {                                           \
            ptrdiff_t there = (ptrdiff_t)batch * (CONFIG)->batch_bytes;                           \
            for (int32_t axis = 0; axis < (CONFIG)->depth; ++axis) {                              \
                there += nb_in_range(*places++, (CONFIG)->sizes[axis]) * (CONFIG)->strides[axis]; \
            }                                                                                     \
            BODY                                                                                  \
            i += bytes;                                                                           \
        }                                                                                         \
    }

#define NB_ND(SUFFIX, PLACE)                                                                 \
    void nb_gather_nd_##SUFFIX(const nb_gather_nd_config *config, const void *x,             \
                               const PLACE *places, void *y)                                 \
    {                                                                                        \
        NB_OVER_ND(config, { memcpy((uint8_t *)y + i, (const uint8_t *)x + there, bytes); }) \
    }                                                                                        \
    void nb_scatter_nd_##SUFFIX(const nb_gather_nd_config *config, const PLACE *places,      \
                                const void *updates, void *y)                                \
    {                                                                                        \
        NB_OVER_ND(config,                                                                   \
                   { memcpy((uint8_t *)y + there, (const uint8_t *)updates + i, bytes); })   \
    }

NB_ND(i32, int32_t)
NB_ND(i64, int64_t)

#define NB_ONE_HOT(NAME, PLACE)                                                                \
    void NAME(const nb_one_hot_config *config, const PLACE *places, const void *pair, void *y) \
    {                                                                                          \
        const size_t bytes = (size_t)config->bytes;                                            \
        const uint8_t *off = (const uint8_t *)pair;                                            \
        uint8_t *to = (uint8_t *)y;                                                            \
        for (int32_t outer = 0; outer < config->outer; ++outer) {                              \
            for (int32_t place = 0; place < config->size; ++place) {                           \
                for (int32_t inner = 0; inner < config->inner; ++inner) {                      \
                    const int64_t wanted = places[(ptrdiff_t)outer * config->inner + inner];   \
                    const int is_on = (wanted < 0 ? wanted + config->size : wanted) == place;  \
                    memcpy(to, is_on ? off + bytes : off, bytes);                              \
                    to += bytes;                                                               \
                }                                                                              \
            }                                                                                  \
        }                                                                                      \
    }

NB_ONE_HOT(nb_one_hot_i32, int32_t)
NB_ONE_HOT(nb_one_hot_i64, int64_t)
