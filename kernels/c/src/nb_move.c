/* SPDX-License-Identifier: MIT-0 */
#include "nb_move.h"

#include "nb_walk.h"

void nb_copy(const nb_copy_config *config, const void *x, void *y)
{
    memmove(y, x, config->bytes);
}

void nb_select_i32(const nb_select_config *config, const int32_t *choice, const void *x, void *y)
{
    if (*choice == config->index) {
        memcpy(y, x, config->bytes);
    }
}

void nb_select_i64(const nb_select_config *config, const int64_t *choice, const void *x, void *y)
{
    if (*choice == config->index) {
        memcpy(y, x, config->bytes);
    }
}

void nb_select_bool(const nb_select_config *config, const uint8_t *choice, const void *x, void *y)
{
    if (*choice == config->index) {
        memcpy(y, x, config->bytes);
    }
}

void nb_fill(const nb_fill_config *config, void *y)
{
    const uint64_t element = ((uint64_t)config->high << 32) | config->low;
    uint8_t *target = (uint8_t *)y;
    for (uint32_t i = 0u; i < config->count; ++i) {
        for (uint32_t byte = 0u; byte < config->size; ++byte) {
            target[i * config->size + byte] = (uint8_t)(element >> (8u * byte));
        }
    }
}

#define NB_MOVE_ROW(TYPE)                                                 \
    static void nb_move_row_##TYPE(const void *x, void *y, int32_t count, \
                                   ptrdiff_t x_step, ptrdiff_t y_step)    \
    {                                                                     \
        const TYPE *from = (const TYPE *)x;                               \
        TYPE *to = (TYPE *)y;                                             \
        for (int32_t i = 0; i < count; ++i) {                             \
            to[i * y_step] = from[i * x_step];                            \
        }                                                                 \
    }

NB_MOVE_ROW(uint8_t)
NB_MOVE_ROW(uint16_t)
NB_MOVE_ROW(uint32_t)
NB_MOVE_ROW(uint64_t)

static void nb_move_row(const uint8_t *x, uint8_t *y, int32_t count, int32_t x_step,
                        int32_t y_step, int32_t size)
{
    if (x_step == 1 && y_step == 1) {
        memcpy(y, x, (size_t)count * (size_t)size);
    } else if (size == 1) {
        nb_move_row_uint8_t(x, y, count, x_step, y_step);
    } else if (size == 2) {
        nb_move_row_uint16_t(x, y, count, x_step, y_step);
    } else if (size == 4) {
        nb_move_row_uint32_t(x, y, count, x_step, y_step);
    } else {
        nb_move_row_uint64_t(x, y, count, x_step, y_step);
    }
}

void nb_move(const nb_move_config *config, const void *x, void *y)
{
    const int32_t last = config->rank - 1;
    const ptrdiff_t size = config->size;
    const uint8_t *from = (const uint8_t *)x;
    uint8_t *to = (uint8_t *)y;
    nb_walk walk = {{0}, 0, 0, 0};
    if (nb_is_empty(config->rank, config->dims)) {
        return;
    }
    do {
        nb_move_row(from + walk.a * size, to + walk.b * size, config->dims[last],
                    config->x_strides[last], config->y_strides[last], config->size);
    } while (nb_next_row(&walk, config->rank, config->dims, config->x_strides, config->y_strides,
                         NULL));
}

#define NB_PICK_ROW(TYPE)                                                            \
    static int nb_pick_row_##TYPE(const void *x, void *y, const int32_t *list,       \
                                  int32_t start, int32_t count)                      \
    {                                                                                \
        const TYPE *from = (const TYPE *)x;                                          \
        TYPE *to = (TYPE *)y;                                                        \
        int is_whole = start >= 0;                                                   \
        for (int32_t i = 0; i < count; ++i) {                                        \
            const int32_t place = start + list[i];                                   \
            if (place >= 0) {                                                        \
                to[i] = from[place];                                                 \
            } else {                                                                 \
                is_whole = 0;                                                        \
            }                                                                        \
        }                                                                            \
        return is_whole;                                                             \
    }

NB_PICK_ROW(uint8_t)
NB_PICK_ROW(uint32_t)

/* Picks the elements of a row; returns whether that was all of them. */
static int nb_pick_row(const uint8_t *x, uint8_t *y, const int32_t *list, int32_t start,
                       int32_t count, int32_t size)
{
    if (size == 1) {
        return nb_pick_row_uint8_t(x, y, list, start, count);
    }
    if (size == 4) {
        return nb_pick_row_uint32_t(x, y, list, start, count);
    }
    for (int32_t i = 0; i < count; ++i) {
        const int32_t place = start + list[i];
        if (place >= 0) {
            memcpy(y + (size_t)i * (size_t)size, x + (size_t)place * (size_t)size, (size_t)size);
        }
    }
    return 0;
}

void nb_pick(const nb_pick_config *config, const void *x, const int32_t *places, void *y)
{
    const int32_t last = config->rank - 1;
    const uint8_t *from = (const uint8_t *)x;
    uint8_t *to = (uint8_t *)y;
    const size_t row = (size_t)config->dims[last] * (size_t)config->size;
    int32_t before = -1; /* where the row before started, if there was one without gaps */
    nb_walk walk = {{0}, 0, 0, 0};
    if (nb_is_empty(config->rank, config->dims)) {
        return;
    }
    do {
        const int32_t *list = places;
        int32_t start = 0;
        for (int32_t axis = 0; axis < last; ++axis) {
            start += list[walk.at[axis]];
            list += config->dims[axis];
        }
        if (start == before) {
            memcpy(to, to - row, row);
        } else if (nb_pick_row(from, to, list, start, config->dims[last], config->size)) {
            before = start;
        } else {
            before = -1;
        }
        to += row;
    } while (nb_next_row(&walk, config->rank, config->dims, NULL, NULL, NULL));
}
