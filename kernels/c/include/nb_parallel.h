/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_parallel: loops whose turns may run at the same time.
 *
 * With NB_THREADS, a number, and OpenMP (-fopenmp) so many threads share the turns of such a loop
 * that has work enough. No two turns write the same number, and each sum is made by one turn in the
 * order that it always has: the bits are those of one thread. Without NB_THREADS a loop is a loop.
 */
#ifndef NB_PARALLEL_H
#define NB_PARALLEL_H

#if defined(NB_THREADS) && defined(_OPENMP)
#define NB_PRAGMA(TEXT) _Pragma(#TEXT)
#if !defined(NB_WORTH)
#define NB_WORTH 500000 /* products that take longer than it takes to wake threads up */
#endif
/* Before a loop: whether it has SEVERAL turns, and the products of all. */
#define NB_PARALLEL(SEVERAL, PRODUCTS)                                  \
    NB_PRAGMA(omp parallel for schedule(static) num_threads(NB_THREADS) \
                  if ((SEVERAL) && (PRODUCTS) >= NB_WORTH))
/* Before a block: whether threads may go through it TOGETHER, sharing the turns of loops in it. */
#define NB_TEAM(TOGETHER) NB_PRAGMA(omp parallel num_threads(NB_THREADS) if (TOGETHER))
#define NB_SHARED NB_PRAGMA(omp for schedule(static))
#define NB_PARTS NB_THREADS /* of what is cut for threads */
#else
#define NB_WORTH 0
#define NB_PARALLEL(SEVERAL, PRODUCTS)
#define NB_TEAM(TOGETHER)
#define NB_SHARED
#define NB_PARTS 1
#endif

#endif
