/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_subnormal: noticing where vectors took a subnormal number for 0.
 *
 * Vectors of a Cortex-M55 do so with what they read and with what they give, whatever FPSCR says;
 * single numbers are those of IEEE 754. But each time flags of FPSCR are set, which stay: IDC for
 * what is read, comparisons included, and UFC for what is given. A kernel watches them, and where
 * one is set computes a part of its results again, number by number. Nothing is watched elsewhere.
 *
 *     const uint32_t before = nb_watch();
 *     ... vectors are stored, or handed to NB_BOUND ...
 *     if (NB_FLUSHES && nb_was_flushed()) {
 *         ... the same, number by number ...
 *         nb_forget();
 *     }
 *     nb_unwatch(before);
 *
 * Underflow of single numbers sets UFC, too: then something is computed again to the same bits.
 */
#ifndef NB_SUBNORMAL_H
#define NB_SUBNORMAL_H

#include "nb_vec.h"

#if NB_VL == 4 && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define NB_FLUSHES 1
#define NB_FLUSH_FLAGS 0x88u /* IDC and UFC */

/* Completes a vector before flags are read behind it: what is stored is complete as it is. */
#define NB_BOUND(V) __asm__ volatile("" : "+w"(V))

static inline uint32_t nb_fpscr(void)
{
    uint32_t flags;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(flags) : : "memory");
    return flags;
}

static inline void nb_set_fpscr(uint32_t flags)
{
    __asm__ volatile("vmsr fpscr, %0" : : "r"(flags) : "memory");
}

/* Clears the flags, and returns those that were set before. */
static inline uint32_t nb_watch(void)
{
    const uint32_t flags = nb_fpscr();
    nb_set_fpscr(flags & ~NB_FLUSH_FLAGS);
    return flags & NB_FLUSH_FLAGS;
}

static inline int nb_was_flushed(void)
{
    return (nb_fpscr() & NB_FLUSH_FLAGS) != 0u;
}

static inline void nb_forget(void)
{
    (void)nb_watch();
}

/* Sets the flags again that were set before. */
static inline void nb_unwatch(uint32_t before)
{
    if (before != 0u) {
        nb_set_fpscr(nb_fpscr() | before);
    }
}
#else
#define NB_FLUSHES 0
#define NB_BOUND(V) (void)(V)

static inline uint32_t nb_watch(void)
{
    return 0u;
}

static inline int nb_was_flushed(void)
{
    return 0;
}

static inline void nb_forget(void)
{
}

static inline void nb_unwatch(uint32_t before)
{
    (void)before;
}
#endif

#endif
