/* SPDX-License-Identifier: MIT-0 */
#include "nb_integer.h"

#define NB_DEFINE_SIGNED_UNARY(SUFFIX, TYPE, WIDE)                             \
    NB_UNARY(nb_relu_##SUFFIX, TYPE, TYPE, v < 0 ? 0 : v)                      \
    NB_UNARY(nb_abs_##SUFFIX, TYPE, TYPE, v < 0 ? (WIDE)0 - (WIDE)v : (WIDE)v) \
    NB_UNARY(nb_neg_##SUFFIX, TYPE, TYPE, (WIDE)0 - (WIDE)v)                   \
    NB_UNARY(nb_sign_##SUFFIX, TYPE, TYPE, v > 0 ? 1 : (v < 0 ? -1 : 0))       \
    NB_UNARY(nb_bitwise_not_##SUFFIX, TYPE, TYPE, ~(WIDE)v)

#define NB_DEFINE_UNSIGNED_UNARY(SUFFIX, TYPE, WIDE)         \
    NB_UNARY(nb_relu_##SUFFIX, TYPE, TYPE, v)                \
    NB_UNARY(nb_abs_##SUFFIX, TYPE, TYPE, v)                 \
    NB_UNARY(nb_neg_##SUFFIX, TYPE, TYPE, (WIDE)0 - (WIDE)v) \
    NB_UNARY(nb_sign_##SUFFIX, TYPE, TYPE, v > 0u ? 1u : 0u) \
    NB_UNARY(nb_bitwise_not_##SUFFIX, TYPE, TYPE, ~(WIDE)v)

NB_SIGNED(NB_DEFINE_SIGNED_UNARY)
NB_UNSIGNED(NB_DEFINE_UNSIGNED_UNARY)

#define NB_DEFINE_ALL(SUFFIX, TYPE, WIDE)                           \
    NB_BINARY_PLAIN(nb_add_##SUFFIX, TYPE, TYPE, (WIDE)u + (WIDE)v) \
    NB_BINARY_PLAIN(nb_sub_##SUFFIX, TYPE, TYPE, (WIDE)u - (WIDE)v) \
    NB_BINARY_PLAIN(nb_mul_##SUFFIX, TYPE, TYPE, (WIDE)u * (WIDE)v) \
    NB_BINARY_PLAIN(nb_max_##SUFFIX, TYPE, TYPE, u < v ? v : u)     \
    NB_BINARY_PLAIN(nb_min_##SUFFIX, TYPE, TYPE, u > v ? v : u)

/* Division by -1 is done by hand, because the quotient of the least number is out of range. */
#define NB_DEFINE_SIGNED(SUFFIX, TYPE, WIDE)                                   \
    static inline TYPE nb_quotient_##SUFFIX(TYPE u, TYPE v)                    \
    {                                                                          \
        if (v == 0) {                                                          \
            return 0;                                                          \
        }                                                                      \
        if (v == -1) {                                                         \
            return (TYPE)((WIDE)0 - (WIDE)u);                                  \
        }                                                                      \
        return (TYPE)(u / v);                                                  \
    }                                                                          \
    static inline TYPE nb_rest_##SUFFIX(TYPE u, TYPE v)                        \
    {                                                                          \
        if (v == 0 || v == -1) {                                               \
            return 0;                                                          \
        }                                                                      \
        return (TYPE)(u % v);                                                  \
    }                                                                          \
    static inline TYPE nb_modulo_##SUFFIX(TYPE u, TYPE v)                      \
    {                                                                          \
        const TYPE rest = nb_rest_##SUFFIX(u, v);                              \
        return (rest != 0 && (rest < 0) != (v < 0)) ? (TYPE)(rest + v) : rest; \
    }                                                                          \
    NB_BINARY_PLAIN(nb_div_##SUFFIX, TYPE, TYPE, nb_quotient_##SUFFIX(u, v))   \
    NB_BINARY_PLAIN(nb_fmod_##SUFFIX, TYPE, TYPE, nb_rest_##SUFFIX(u, v))      \
    NB_BINARY_PLAIN(nb_mod_##SUFFIX, TYPE, TYPE, nb_modulo_##SUFFIX(u, v))

#define NB_DEFINE_UNSIGNED(SUFFIX, TYPE, WIDE)                                      \
    NB_BINARY_PLAIN(nb_div_##SUFFIX, TYPE, TYPE, v == 0u ? 0u : (WIDE)u / (WIDE)v)  \
    NB_BINARY_PLAIN(nb_fmod_##SUFFIX, TYPE, TYPE, v == 0u ? 0u : (WIDE)u % (WIDE)v) \
    NB_BINARY_PLAIN(nb_mod_##SUFFIX, TYPE, TYPE, v == 0u ? 0u : (WIDE)u % (WIDE)v)

NB_INTEGERS(NB_DEFINE_ALL)
NB_SIGNED(NB_DEFINE_SIGNED)
NB_UNSIGNED(NB_DEFINE_UNSIGNED)
