/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_logic: truth values and bits of two inputs, element by element.
 *
 * Truth values are bytes, 0 or 1. y may be an input that has as many elements.
 */
#ifndef NB_LOGIC_H
#define NB_LOGIC_H

#include "nb_binary.h"

void nb_and_bool(const nb_binary_config *config, const uint8_t *a, const uint8_t *b, uint8_t *y);
void nb_or_bool(const nb_binary_config *config, const uint8_t *a, const uint8_t *b, uint8_t *y);
void nb_xor_bool(const nb_binary_config *config, const uint8_t *a, const uint8_t *b, uint8_t *y);

/* Bits of unsigned types, which serve signed ones as well; shifted by more than there are: 0. */
#define NB_DECLARE_LOGIC(SUFFIX, TYPE, WIDE)                                                   \
    void nb_bitwise_and_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b, \
                                 TYPE *y);                                                     \
    void nb_bitwise_or_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,  \
                                TYPE *y);                                                      \
    void nb_bitwise_xor_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b, \
                                 TYPE *y);                                                     \
    void nb_shift_left_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,  \
                                TYPE *y);                                                      \
    void nb_shift_right_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b, \
                                 TYPE *y);

NB_DECLARE_LOGIC(u8, uint8_t, uint32_t)
NB_DECLARE_LOGIC(u16, uint16_t, uint32_t)
NB_DECLARE_LOGIC(u32, uint32_t, uint32_t)
NB_DECLARE_LOGIC(u64, uint64_t, uint64_t)
#undef NB_DECLARE_LOGIC

#endif
