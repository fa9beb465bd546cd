/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_integer: functions of one and of two inputs of integers, element by element.
 *
 * y may be an input that has as many elements.
 */
#ifndef NB_INTEGER_H
#define NB_INTEGER_H

#include "nb_binary.h"
#include "nb_unary.h"

/* Integers wrap around: the absolute value of the least one is itself. */
#define NB_DECLARE_UNARY(SUFFIX, TYPE, WIDE)                                      \
    void nb_relu_##SUFFIX(const nb_unary_config *config, const TYPE *x, TYPE *y); \
    void nb_abs_##SUFFIX(const nb_unary_config *config, const TYPE *x, TYPE *y);  \
    void nb_neg_##SUFFIX(const nb_unary_config *config, const TYPE *x, TYPE *y);  \
    void nb_sign_##SUFFIX(const nb_unary_config *config, const TYPE *x, TYPE *y); \
    void nb_bitwise_not_##SUFFIX(const nb_unary_config *config, const TYPE *x, TYPE *y);

NB_INTEGERS(NB_DECLARE_UNARY)
#undef NB_DECLARE_UNARY

/*
 * Integers wrap around. They are divided towards zero; what is divided by 0 gives 0. The remainder
 * `mod` has the sign of b, `fmod` that of a.
 */
#define NB_DECLARE_ARITHMETIC(SUFFIX, TYPE, WIDE)                                       \
    void nb_add_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,  \
                         TYPE *y);                                                      \
    void nb_sub_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,  \
                         TYPE *y);                                                      \
    void nb_mul_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,  \
                         TYPE *y);                                                      \
    void nb_div_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,  \
                         TYPE *y);                                                      \
    void nb_mod_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,  \
                         TYPE *y);                                                      \
    void nb_fmod_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b, \
                          TYPE *y);                                                     \
    void nb_max_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,  \
                         TYPE *y);                                                      \
    void nb_min_##SUFFIX(const nb_binary_config *config, const TYPE *a, const TYPE *b,  \
                         TYPE *y);

NB_INTEGERS(NB_DECLARE_ARITHMETIC)
#undef NB_DECLARE_ARITHMETIC

#endif
