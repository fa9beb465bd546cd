/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_compare: comparisons of two inputs element by element; truth values are bytes, 0 or 1.
 *
 * y may be an input that has as many elements of one byte.
 */
#ifndef NB_COMPARE_H
#define NB_COMPARE_H

#include "nb_binary.h"

#define NB_DECLARE_COMPARE(SUFFIX, TYPE, WIDE)                                             \
    void nb_equal_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,   \
                           uint8_t *y);                                                    \
    void nb_greater_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b, \
                             uint8_t *y);                                                  \
    void nb_greater_or_equal_##SUFFIX(const nb_binary_config *config, const TYPE *a,       \
                                      const TYPE *b, uint8_t *y);                          \
    void nb_less_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,    \
                          uint8_t *y);                                                     \
    void nb_less_or_equal_##SUFFIX(const nb_binary_config *config, const TYPE *a,          \
                                   const TYPE *b, uint8_t *y);

NB_DECLARE_COMPARE(f32, float, float)
NB_INTEGERS(NB_DECLARE_COMPARE)
#undef NB_DECLARE_COMPARE

#endif
