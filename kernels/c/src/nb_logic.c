/* SPDX-License-Identifier: MIT-0 */
#include "nb_logic.h"

NB_BINARY_PLAIN(nb_and_bool, uint8_t, uint8_t, u != 0u && v != 0u)
NB_BINARY_PLAIN(nb_or_bool, uint8_t, uint8_t, u != 0u || v != 0u)
NB_BINARY_PLAIN(nb_xor_bool, uint8_t, uint8_t, (u != 0u) != (v != 0u))

#define NB_DEFINE_LOGIC(SUFFIX, TYPE, WIDE)                                                        \
    NB_BINARY_PLAIN(nb_bitwise_and_##SUFFIX, TYPE, TYPE, u & v)                                    \
    NB_BINARY_PLAIN(nb_bitwise_or_##SUFFIX, TYPE, TYPE, u | v)                                     \
    NB_BINARY_PLAIN(nb_bitwise_xor_##SUFFIX, TYPE, TYPE, u ^ v)                                    \
    NB_BINARY_PLAIN(nb_shift_left_##SUFFIX, TYPE, TYPE, v < 8u * sizeof(TYPE) ? (WIDE)u << v : 0u) \
    NB_BINARY_PLAIN(nb_shift_right_##SUFFIX, TYPE, TYPE, v < 8u * sizeof(TYPE) ? (WIDE)u >> v : 0u)

NB_DEFINE_LOGIC(u8, uint8_t, uint32_t)
NB_DEFINE_LOGIC(u16, uint16_t, uint32_t)
NB_DEFINE_LOGIC(u32, uint32_t, uint32_t)
NB_DEFINE_LOGIC(u64, uint64_t, uint64_t)
