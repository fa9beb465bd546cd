/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_cast: elements of one type turned into another.
 *
 * Whole numbers keep their low bits. Floating-point numbers are cut off towards zero; those out of
 * range give the nearest number that there is, NaN gives 0. Truth values are bytes, 0 or 1. y may
 * be x where both have elements of the same size.
 */
#ifndef NB_CAST_H
#define NB_CAST_H

#include "nb_types.h"

typedef struct nb_cast_config {
    int32_t count; /* number of elements */
} nb_cast_config;

#define NB_CAST_TYPES(DO, FROM, FROM_TYPE)                               \
    DO(FROM, FROM_TYPE, f32, float) DO(FROM, FROM_TYPE, bool, uint8_t)   \
    DO(FROM, FROM_TYPE, i8, int8_t) DO(FROM, FROM_TYPE, u8, uint8_t)     \
    DO(FROM, FROM_TYPE, i16, int16_t) DO(FROM, FROM_TYPE, u16, uint16_t) \
    DO(FROM, FROM_TYPE, i32, int32_t) DO(FROM, FROM_TYPE, u32, uint32_t) \
    DO(FROM, FROM_TYPE, i64, int64_t) DO(FROM, FROM_TYPE, u64, uint64_t)

#define NB_DECLARE_CAST(FROM, FROM_TYPE, TO, TO_TYPE) \
    void nb_cast_##FROM##_##TO(const nb_cast_config *config, const FROM_TYPE *x, TO_TYPE *y);
#define NB_DECLARE_CASTS(SUFFIX, TYPE, WIDE) NB_CAST_TYPES(NB_DECLARE_CAST, SUFFIX, TYPE)

NB_ALL_INTEGERS(NB_DECLARE_CASTS)
NB_DECLARE_CASTS(f32, float, float)
NB_DECLARE_CASTS(bool, uint8_t, uint32_t)
#undef NB_DECLARE_CASTS
#undef NB_DECLARE_CAST

#endif
