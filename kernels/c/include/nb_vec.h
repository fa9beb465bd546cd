/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_vec: numbers side by side, in the compiler's own vector types.
 *
 * NB_VL of them make an nb_vec; with other compilers, and on cores without vectors, it is 1 and an
 * nb_vec is a float. An operation on vectors is the same operation on each lane, so that the size
 * of a vector changes the speed, never a bit; for vectors that take subnormal numbers for 0, see
 * nb_subnormal.h. Vectors are not handed to functions: how depends on what the processor can do.
 */
#ifndef NB_VEC_H
#define NB_VEC_H

#include "nb_common.h"

#if !defined(NB_VL)
#if !defined(__GNUC__)
#define NB_VL 1
#elif defined(__AVX512F__)
#define NB_VL 16
#elif defined(__AVX__)
#define NB_VL 8
#elif defined(__SSE2__) || defined(__aarch64__)
#define NB_VL 4
#elif defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define NB_VL 4
#else
#define NB_VL 1
#endif
#endif

#if NB_VL == 4 && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include <arm_mve.h>
#define NB_TIMES(VECTOR, NUMBER) vmulq_n_f32((float32x4_t)(VECTOR), NUMBER)
#else
#define NB_TIMES(VECTOR, NUMBER) ((NUMBER) * (VECTOR))
#endif
#define NB_TIMES_AT(VECTOR, FROM) NB_TIMES(VECTOR, *(FROM))

#if NB_VL == 1
typedef float nb_vec;
#define NB_LOAD(FROM) (*(FROM))
#define NB_STORE(TO, VALUE) (*(TO) = (VALUE))
#define NB_ALL(NUMBER) (NUMBER)
#else
typedef float nb_vec __attribute__((vector_size(4 * NB_VL)));
typedef float nb_vec_at __attribute__((vector_size(4 * NB_VL), aligned(4), may_alias));
#define NB_LOAD(FROM) (*(const nb_vec_at *)(FROM))
#define NB_STORE(TO, VALUE) (*(nb_vec_at *)(TO) = (VALUE))
#define NB_ALL(NUMBER) ((NUMBER) - (nb_vec){0}) /* a number minus 0 is itself, -0 and NaN too */
#endif

/* The same for single numbers: a block is one of NB vectors, or of NB_ONE numbers. */
#define NB_ONE_LOAD(FROM) (*(FROM))
#define NB_ONE_STORE(TO, VALUE) (*(TO) = (VALUE))
#define NB_ONE_ALL(NUMBER) (NUMBER)
#define NB_ONE_TIMES_AT(VALUE, FROM) (*(FROM) * (VALUE))

/*
 * A product with a number in memory. Where an instruction can take the number from there to all
 * lanes, each product does so by itself: a register with copies of it is as dear as a product.
 */
#if NB_VL == 16 && defined(__AVX512F__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
static inline nb_vec nb_times_at(nb_vec vector, const float *from)
{
    nb_vec product;
    __asm__("vmulps %2%{1to16%}, %1, %0" : "=v"(product) : "v"(vector), "m"(*from));
    return product;
}
#undef NB_TIMES_AT
#define NB_TIMES_AT(VECTOR, FROM) nb_times_at(VECTOR, FROM)
#endif

/*
 * Instructions that vector types have no operation for. They are written out: the compilers' header
 * of all instructions takes as long to read as many a kernel to compile.
 */
#if NB_VL == 16 && defined(__AVX512F__)
#define NB_REGISTER "v"
#elif NB_VL == 8 && defined(__AVX__)
#define NB_REGISTER "x"
#endif
#if defined(NB_REGISTER)
#define NB_INSTRUCTION(NAME, TYPE, WORD)                                                       \
    static inline TYPE NAME(TYPE a, TYPE b)                                                    \
    {                                                                                          \
        TYPE found;                                                                            \
        __asm__(WORD " %2, %1, %0" : "=" NB_REGISTER(found) : NB_REGISTER(a), NB_REGISTER(b)); \
        return found;                                                                          \
    }
NB_INSTRUCTION(nb_most_of, nb_vec, "vmaxps")  /* a > b ? a : b, which is b where one is NaN */
NB_INSTRUCTION(nb_least_of, nb_vec, "vminps") /* a < b ? a : b */

/* Four numbers side by side, where an nb_vec has more. */
typedef float nb_four __attribute__((vector_size(16)));
typedef float nb_four_at __attribute__((vector_size(16), aligned(4), may_alias));
#define NB_FOUR_LOAD(FROM) (*(const nb_four_at *)(FROM))
#define NB_FOUR_STORE(TO, VALUE) (*(nb_four_at *)(TO) = (VALUE))
#define NB_FOUR_ALL(NUMBER) ((NUMBER) - (nb_four){0})
#define NB_FOUR_TIMES_AT(VALUE, FROM) (*(FROM) * (VALUE))
NB_INSTRUCTION(nb_most_of_four, nb_four, "vmaxps")
NB_INSTRUCTION(nb_least_of_four, nb_four, "vminps")
#endif

/*
 * A block of results is NB_HIGH rows of NB_WIDE vectors: as many sums as registers can hold beside
 * what is multiplied. A single row has NB_LONG vectors.
 */
#if defined(__AVX512F__)
#define NB_HIGH 8
#define NB_WIDE 3
#define NB_LONG 8
#elif NB_VL == 1
#define NB_HIGH 4
#define NB_WIDE 4
#define NB_LONG 8
#elif defined(__ARM_FEATURE_MVE)
#define NB_HIGH 4
#define NB_WIDE 1
#define NB_LONG 4
#else
#define NB_HIGH 4
#define NB_WIDE 3
#define NB_LONG 8
#endif

/* A loop over the vectors of a block has no turns: they stay in registers, with Clang as it is. */
#if defined(__GNUC__) && !defined(__clang__)
#define NB_UNROLLED _Pragma("GCC unroll 8")
#else
#define NB_UNROLLED
#endif

/* A loop over terms makes a few at a time, where there is little to do for each. */
#if defined(__GNUC__) && !defined(__clang__)
#define NB_TURNS _Pragma("GCC unroll 4")
#else
#define NB_TURNS
#endif

#endif
