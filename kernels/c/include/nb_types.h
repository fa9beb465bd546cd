/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_types: lists of element types, to declare and define the same kernel for each.
 *
 * DO(suffix, type, wide): `wide` is an unsigned type in which sums and products wrap around, as
 * those of two's complement numbers do.
 */
#ifndef NB_TYPES_H
#define NB_TYPES_H

#include "nb_common.h"

#define NB_SIGNED(DO)          \
    DO(i8, int8_t, uint32_t)   \
    DO(i32, int32_t, uint32_t) \
    DO(i64, int64_t, uint64_t)

#define NB_UNSIGNED(DO) DO(u8, uint8_t, uint32_t)

/* The integers that networks compute with. */
#define NB_INTEGERS(DO) NB_SIGNED(DO) NB_UNSIGNED(DO)

/* Those that are moved and converted, too. */
#define NB_ALL_INTEGERS(DO)     \
    NB_INTEGERS(DO)             \
    DO(i16, int16_t, uint32_t)  \
    DO(u16, uint16_t, uint32_t) \
    DO(u32, uint32_t, uint32_t) \
    DO(u64, uint64_t, uint64_t)

#endif
