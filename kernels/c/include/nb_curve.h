/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_curve: the sigmoid and the tangent of 16-bit codes, between the entries of one table.
 */
#ifndef NB_CURVE_H
#define NB_CURVE_H

#include "nb_rescale.h"

/* x + zero, between two codes of 16 bits. */
static inline int16_t nb_code_wide(int32_t x, int32_t zero, int32_t least, int32_t most)
{
    const int64_t whole = (int64_t)x + zero;
    return (int16_t)(whole < least ? least : whole > most ? most : whole);
}

/* x * multiplier * 2^(shift - 31) by the upper half of the multiplier, halves upwards. */
static inline int32_t nb_rescaled_wide(int64_t x, int32_t multiplier, int32_t shift)
{
    const int32_t upper = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
    const int32_t places = 15 - shift;
    const int64_t whole = (x * upper + ((int64_t)1 << (places - 1))) >> places;
    return whole < INT32_MIN ? INT32_MIN : whole > INT32_MAX ? INT32_MAX : (int32_t)whole;
}

/* The value at a place of which `bits` bits are between two entries. */
static inline int32_t nb_between(const uint16_t *table, int32_t place, int32_t bits)
{
    const int32_t entry = place >> bits;
    const int32_t low = table[entry];
    return low * (1 << bits) + (place & ((1 << bits) - 1)) * (table[entry + 1] - low);
}

/* The place of a code in the table; its sign is that of the code. */
static inline int32_t nb_place(int32_t x, int32_t multiplier, int32_t shift)
{
    return (x * multiplier + (shift > 0 ? 1 << (shift - 1) : 0)) >> shift;
}

/* 1 / (1 + exp(-x)), as a fraction of 2^15. */
static inline int16_t nb_sigmoid_at(const uint16_t *table, int32_t place)
{
    const int32_t size = place < 0 ? -place : place;
    const int32_t found = size >> 9 >= 255 ? 0x7FFF << 10 : nb_between(table, size, 9);
    const int32_t all = place >= 0 ? found + (1 << 9) : (1 << 25) - found + (1 << 9) - 1;
    return (int16_t)(all >> 10);
}

/* tanh(x), as a fraction of 2^15. */
static inline int16_t nb_tangent_at(const uint16_t *table, int32_t place)
{
    const int32_t size = place < 0 ? -place : place;
    const int32_t found = (size >> 8 >= 255 ? 0xFFFF << 8 : nb_between(table, size, 8)) - (1 << 23);
    return (int16_t)((place >= 0 ? found + (1 << 7) : -found + (1 << 7) - 1) >> 8);
}

#endif
