/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_erf: the error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
 *
 * Near 0 it is x + x p(x^2); elsewhere 1 - exp(-q(x)), where q is fitted to -ln(1 - erf), which is
 * nearly a parabola. The coefficients are minimax fits of our own.
 */
#ifndef NB_ERF_H
#define NB_ERF_H

#include "nb_exp.h"

#define NB_ERF_SMALL(Z)                                                                   \
    (NB_HORNER5(Z, -0x1.38742ep-11f, 0x1.46d9e4p-8f, -0x1.b67c04p-6f, 0x1.ce1986p-4f,     \
                -0x1.8126e2p-2f) * (Z) + 0x1.06eba6p-3f)
#define NB_ERF_LARGE(T)                                                                   \
    ((NB_HORNER5(T, -0x1.9ae864p-13f, 0x1.8ee16ep-9f, -0x1.6c2a90p-6f, 0x1.a9b440p-4f,    \
                 0x1.463cbep-1f) * (T) + 0x1.20af5ap+0f) * (T) + 0x1.9a5c4ep-13f)

static inline float nb_erf(float x)
{
    const float magnitude = nb_abs(x);
    const float z = x * x;
    const float small = NB_ERF_SMALL(z) * x + x;
    const float t = magnitude > 4.0f ? 4.0f : magnitude;
    const float large = 1.0f - nb_exp(-NB_ERF_LARGE(t));
    return nb_copysign(magnitude < 0.921875f ? small : large, x);
}

#endif
