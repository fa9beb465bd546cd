/* SPDX-License-Identifier: MIT-0 */
#include "nb_cast.h"

#define NB_CAST(FROM, FROM_TYPE, TO, TO_TYPE, VALUE)                                         \
    void nb_cast_##FROM##_##TO(const nb_cast_config *config, const FROM_TYPE *x, TO_TYPE *y) \
    {                                                                                        \
        for (int32_t i = 0; i < config->count; ++i) {                                        \
            const FROM_TYPE v = x[i];                                                        \
            y[i] = (TO_TYPE)(VALUE);                                                         \
        }                                                                                    \
    }

#define NB_FROM_INTEGER(SUFFIX, TYPE, WIDE)      \
    NB_CAST(SUFFIX, TYPE, f32, float, v)         \
    NB_CAST(SUFFIX, TYPE, bool, uint8_t, v != 0) \
    NB_CAST(SUFFIX, TYPE, i8, int8_t, v)         \
    NB_CAST(SUFFIX, TYPE, u8, uint8_t, v)        \
    NB_CAST(SUFFIX, TYPE, i16, int16_t, v)       \
    NB_CAST(SUFFIX, TYPE, u16, uint16_t, v)      \
    NB_CAST(SUFFIX, TYPE, i32, int32_t, v)       \
    NB_CAST(SUFFIX, TYPE, u32, uint32_t, v)      \
    NB_CAST(SUFFIX, TYPE, i64, int64_t, v)       \
    NB_CAST(SUFFIX, TYPE, u64, uint64_t, v)

/* v, an element, as a whole number of TYPE; LIMIT is the first number above its range. */
#define NB_WHOLE(TYPE, LEAST, LARGEST, LIMIT) \
    (v >= (LIMIT) ? (LARGEST)                 \
                  : (v <= (float)(LEAST) ? (LEAST) : (v == v ? (TYPE)v : (TYPE)0)))

NB_ALL_INTEGERS(NB_FROM_INTEGER)
NB_FROM_INTEGER(bool, uint8_t, uint32_t)

NB_CAST(f32, float, f32, float, v)
NB_CAST(f32, float, bool, uint8_t, v != 0.0f)
NB_CAST(f32, float, i8, int8_t, NB_WHOLE(int8_t, INT8_MIN, INT8_MAX, 128.0f))
NB_CAST(f32, float, u8, uint8_t, NB_WHOLE(uint8_t, 0, UINT8_MAX, 256.0f))
NB_CAST(f32, float, i16, int16_t, NB_WHOLE(int16_t, INT16_MIN, INT16_MAX, 32768.0f))
NB_CAST(f32, float, u16, uint16_t, NB_WHOLE(uint16_t, 0, UINT16_MAX, 65536.0f))
NB_CAST(f32, float, i32, int32_t, NB_WHOLE(int32_t, INT32_MIN, INT32_MAX, 2147483648.0f))
NB_CAST(f32, float, u32, uint32_t, NB_WHOLE(uint32_t, 0u, UINT32_MAX, 4294967296.0f))
NB_CAST(f32, float, i64, int64_t, NB_WHOLE(int64_t, INT64_MIN, INT64_MAX, 9223372036854775808.0f))
NB_CAST(f32, float, u64, uint64_t, NB_WHOLE(uint64_t, 0u, UINT64_MAX, 18446744073709551616.0f))
