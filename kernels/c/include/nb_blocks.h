/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_blocks: how many results are computed side by side.
 *
 * Every result has its own sum, whose terms are added in the same order whatever the size of a
 * block: sizes change the speed, never a bit. NB_LANES results use the same factor, and lie side
 * by side in vector registers where there are any; NB_ROWS rows of them share what they read.
 */
#ifndef NB_BLOCKS_H
#define NB_BLOCKS_H

#if !defined(NB_LANES)
#if defined(__x86_64__) || defined(__aarch64__) || defined(_M_X64)
#define NB_LANES 32
#define NB_ROWS 8
#else
#define NB_LANES 8
#define NB_ROWS 2
#endif
#endif

/*
 * A loop over lanes is to become vector instructions. GCC would rather unroll one of 16 into single
 * ones first; this keeps it from that.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define NB_OVER_LANES _Pragma("GCC unroll 1")
#else
#define NB_OVER_LANES
#endif

/*
 * A loop around one over lanes is to stay a loop. Clang would rather make vectors of its turns, and
 * keep them in 5 KB of stack.
 */
#if defined(__clang__)
#define NB_AROUND_LANES _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define NB_AROUND_LANES
#endif

#endif
