/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_common: what all kernels share.
 *
 * Arithmetic: float is IEEE 754 binary32, rounded to nearest even; every operation is rounded by
 * itself. Compile without fast-math and with -ffp-contract=off: a product and a sum that are fused
 * into one operation would have other bits. Tensors are contiguous, the last dimension fastest.
 */
#ifndef NB_COMMON_H
#define NB_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__)
#error "these kernels define every bit of their results: compile without -ffast-math"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/*
 * Vectors of a Cortex-M55 take subnormal numbers for 0, see nb_subnormal.h: compilers may not make
 * any on their own. For Clang, add -fno-vectorize -fno-slp-vectorize.
 */
#if defined(__ARM_FEATURE_MVE) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize")
#endif

/* The largest number of dimensions of a tensor, once neighbouring ones are joined. */
#define NB_MAX_RANK 8

#ifdef __cplusplus
#error "compile as C11"
#endif

#endif
