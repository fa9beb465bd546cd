/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_vec_exp: exp, ln, erf and what follows from them, of vectors, in their place.
 *
 * Each lane goes through the operations that nb_exp.h, nb_log.h and nb_erf.h make of one number;
 * where a processor has one instruction for several of them, that is exact as they are.
 */
#ifndef NB_VEC_EXP_H
#define NB_VEC_EXP_H

#include "nb_erf.h"
#include "nb_exp.h"
#include "nb_log.h"
#include "nb_vec_float.h"

#if NB_VL > 1
/* e 2^n, for a whole n in [-153, 131] that t - NB_ROUNDER is. */
#if NB_HAS_AVX512
NB_INSTRUCTION(nb_times_power, nb_vec, "vscalefps")
#define NB_TIMES_POWER(E, T, N) nb_times_power(E, N)
#else
#define NB_TIMES_POWER(E, T, N) \
    (((E) * NB_POWER(NB_HALF_OF(T))) * NB_POWER(NB_WHOLE(T) - NB_HALF_OF(T)))
#define NB_WHOLE(T) ((nb_uvec)(T) - 0x4B400000u)
#define NB_HALF_OF(T) (((NB_WHOLE(T) + 512u) >> 1) - 256u)
#define NB_POWER(N) ((nb_vec)(((N) + 127u) << 23))
#endif

static inline void nb_exp_vec(nb_vec *x)
{
    const nb_vec not_low = NB_AT_LEAST(*x, -106.0f);
    const nb_vec v = NB_AT_MOST(not_low, 91.0f);
    const nb_vec t = v * 0x1.715476p+0f + NB_ROUNDER;
    const nb_vec n = t - NB_ROUNDER;
    const nb_vec r = (v - n * 0.693359375f) - n * -0x1.bd0106p-13f;
    *x = NB_TIMES_POWER(((r * r) * NB_EXP_POLYNOMIAL(r) + r) + 1.0f, t, n);
}

static inline void nb_sigmoid_vec(nb_vec *x)
{
    nb_vec e = NB_WITH_SIGN(*x, NB_ALL(-1.0f));
    nb_exp_vec(&e);
    *x = NB_WHERE_LESS(*x, NB_ALL(0.0f), e, NB_WHERE_SAME(*x, *x, NB_ALL(1.0f), e)) / (1.0f + e);
}

static inline void nb_tanh_vec(nb_vec *x)
{
    const nb_vec magnitude = NB_WITH_SIGN(*x, NB_ALL(1.0f));
    const nb_vec z = *x * *x;
    const nb_vec small = (NB_TANH_POLYNOMIAL(z) * z) * *x + *x;
    nb_vec e = magnitude + magnitude;
    nb_exp_vec(&e);
    const nb_vec large = 1.0f - 2.0f / (e + 1.0f);
    const nb_vec found = NB_WHERE_LESS(magnitude, NB_ALL(0.625f), small, large);
    *x = NB_WITH_SIGN(found, *x);
}

static inline void nb_erf_vec(nb_vec *x)
{
    const nb_vec magnitude = NB_WITH_SIGN(*x, NB_ALL(1.0f));
    const nb_vec z = *x * *x;
    const nb_vec small = NB_ERF_SMALL(z) * *x + *x;
    const nb_vec t = NB_AT_MOST(magnitude, 4.0f);
    nb_vec e = -(NB_ERF_LARGE(t));
    nb_exp_vec(&e);
    const nb_vec found = NB_WHERE_LESS(magnitude, NB_ALL(0.921875f), small, 1.0f - e);
    *x = NB_WITH_SIGN(found, *x);
}

static inline void nb_log_vec(nb_vec *x)
{
    const nb_vec tiny = NB_ALL(1.17549435e-38f);
    const nb_uvec bits = (nb_uvec)NB_WHERE_LESS(*x, tiny, *x * 8388608.0f, *x);
    const nb_uvec biased = (bits + (0x3F800000u - 0x3F3504F3u)) >> 23;
    const nb_vec f = (nb_vec)(bits - (biased << 23) + 0x3F800000u) - 1.0f;
    /* A whole number below 2^23 in the low bits of 2^23, as a number: exact. */
    const nb_vec whole = (nb_vec)(biased + 0x4B000000u) - 8388608.0f;
    const nb_vec e = whole - NB_WHERE_LESS(*x, tiny, NB_ALL(150.0f), NB_ALL(127.0f));
    const nb_vec z = f * f;
    const nb_vec rest = ((f * z) * NB_LOG_POLYNOMIAL(f) + e * -0x1.bd0106p-13f) - 0.5f * z;
    const nb_vec found = (f + rest) + e * 0.693359375f;
    const nb_vec none = NB_WHERE_SAME(*x, NB_ALL(0.0f), NB_ALL(-NB_INFINITY), NB_ALL(NB_NAN));
    const nb_vec usual = NB_WHERE_LESS(*x, NB_ALL(NB_INFINITY), found, *x);
    *x = NB_WHERE_LESS(NB_ALL(0.0f), *x, usual, none);
}

static inline void nb_softplus_vec(nb_vec *x)
{
    nb_vec e = NB_WITH_SIGN(*x, NB_ALL(-1.0f));
    nb_exp_vec(&e);
    const nb_vec sum = 1.0f + e; /* between 1 and 2: nb_log1p takes its usual way, or NaN */
    const nb_vec lost = e - (sum - 1.0f);
    nb_vec found = sum;
    nb_log_vec(&found);
    *x = NB_AT_LEAST(*x, 0.0f) + (found + lost / sum);
}
#endif

#endif
