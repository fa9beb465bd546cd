/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_taps: which taps of a window, and which results, lie inside of the input.
 *
 * A window goes over one, two or three dimensions; those that are missing have size 1.
 */
#ifndef NB_TAPS_H
#define NB_TAPS_H

#include "nb_common.h"

typedef struct nb_range {
    int32_t first;
    int32_t end; /* behind the last one */
} nb_range;

/* The smallest n >= 0 with start + n * step >= 0, for step > 0. */
static inline int32_t nb_steps_to_zero(int32_t start, int32_t step)
{
    if (start >= 0) {
        return 0;
    }
    return step == 1 ? -start : (step - 1 - start) / step; /* most need no division */
}

/* The n in [0, count) for which low <= start + n * step < high. */
static inline nb_range nb_inside(int32_t start, int32_t step, int32_t count, int32_t low,
                                 int32_t high)
{
    nb_range range;
    range.first = nb_steps_to_zero(start - low, step);
    range.end = nb_steps_to_zero(start - high, step); /* the first one behind */
    range.end = range.end < count ? range.end : count;
    range.first = range.first < range.end ? range.first : range.end;
    return range;
}

#endif
