/* SPDX-License-Identifier: MIT-0 */
#include "nb_power.h"

#include "nb_pow.h"

/* Gives the mantissa of a finite number above 0 as a whole number, and the power of two it has. */
static inline uint32_t nb_whole_mantissa(uint32_t bits, int32_t *exponent)
{
    const uint32_t biased = bits >> 23;
    *exponent = biased == 0u ? 1 : (int32_t)biased;
    return biased == 0u ? bits : (bits & 0x007FFFFFu) | 0x00800000u;
}

/* The float of mantissa * 2^(exponent - 150), which is known to be exact. */
static inline float nb_from_whole(uint32_t mantissa, int32_t exponent)
{
    if (mantissa == 0u) {
        return 0.0f;
    }
    while (mantissa < 0x00800000u && exponent > 1) {
        mantissa <<= 1;
        --exponent;
    }
    if (mantissa < 0x00800000u) {
        return nb_from_bits(mantissa);
    }
    return nb_from_bits((mantissa & 0x007FFFFFu) | ((uint32_t)exponent << 23));
}

static float nb_fmod(float a, float b)
{
    const uint32_t x = nb_bits(a) & 0x7FFFFFFFu;
    const uint32_t y = nb_bits(b) & 0x7FFFFFFFu;
    int32_t x_exponent;
    int32_t y_exponent;
    if (x >= 0x7F800000u || y > 0x7F800000u || y == 0u) {
        return NB_NAN;
    }
    if (x < y) {
        return a;
    }
    uint64_t rest = nb_whole_mantissa(x, &x_exponent);
    const uint32_t divisor = nb_whole_mantissa(y, &y_exponent);
    int32_t steps = x_exponent - y_exponent;
    rest %= divisor;
    while (steps > 0) {
        const int32_t step = steps < 32 ? steps : 32;
        rest = (rest << step) % divisor;
        steps -= step;
    }
    return nb_copysign(nb_from_whole((uint32_t)rest, y_exponent), a);
}

static float nb_modulo(float a, float b)
{
    const float rest = nb_fmod(a, b);
    if (rest == 0.0f) {
        return nb_copysign(0.0f, b);
    }
    return ((rest < 0.0f) != (b < 0.0f)) ? rest + b : rest;
}

NB_BINARY_PLAIN(nb_pow_f32, float, float, nb_pow(u, v))
NB_BINARY_PLAIN(nb_fmod_f32, float, float, nb_fmod(u, v))
NB_BINARY_PLAIN(nb_mod_f32, float, float, nb_modulo(u, v))
