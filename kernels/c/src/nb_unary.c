/* SPDX-License-Identifier: MIT-0 */
#include "nb_unary.h"

#include "nb_vec_float.h"

/*
 * Rounds to the nearest whole number; `up_on_half` says, from the whole part, whether halves go
 * away from zero. The fraction is exact, x + 0.5 would not be.
 */
#define NB_NEAREST(NAME, UP_ON_HALF)                                       \
    static inline float nb_nearest_##NAME(float x)                         \
    {                                                                      \
        const float whole = nb_trunc(nb_abs(x));                           \
        const float rest = nb_abs(x) - whole;                              \
        const int is_away = rest > 0.5f || (rest == 0.5f && (UP_ON_HALF)); \
        return nb_copysign(is_away ? whole + 1.0f : whole, x);             \
    }                                                                      \
    NB_UNARY(nb_round_##NAME##_f32, float, float, nb_nearest_##NAME(v))

NB_UNARY(nb_relu_f32, float, float, v < 0.0f ? 0.0f : v)
NB_UNARY(nb_abs_f32, float, float, nb_abs(v))
NB_UNARY(nb_neg_f32, float, float, -v)
NB_UNARY(nb_sign_f32, float, float, v > 0.0f ? 1.0f : (v < 0.0f ? -1.0f : (v == 0.0f ? 0.0f : v)))
NB_UNARY(nb_floor_f32, float, float, nb_floor(v))
NB_UNARY(nb_ceil_f32, float, float, nb_ceil(v))
#if defined(NB_SQRT)
void nb_sqrt_f32(const nb_unary_config *config, const float *x, float *y)
{
    NB_EACH_VEC(config->count, x, y,
                v = NB_WHERE_LESS(v, NB_ALL(0.0f), NB_ALL(NB_NAN), NB_SQRT(v)), nb_sqrt(u))
}
#else
NB_UNARY(nb_sqrt_f32, float, float, nb_sqrt(v))
#endif
NB_UNARY(nb_reciprocal_f32, float, float, 1.0f / v)

NB_NEAREST(half_away_from_zero, 1)
NB_NEAREST(half_toward_zero, 0)
NB_NEAREST(half_to_odd, 2.0f * nb_trunc(0.5f * whole) == whole)
NB_NEAREST(half_up, x > 0.0f)
NB_NEAREST(half_down, x < 0.0f)
NB_UNARY(nb_round_half_to_even_f32, float, float, nb_rint(v))
NB_UNARY(nb_round_toward_zero_f32, float, float, nb_trunc(v))
NB_UNARY(nb_round_away_from_zero_f32, float, float, nb_copysign(nb_ceil(nb_abs(v)), v))

NB_UNARY(nb_not_bool, uint8_t, uint8_t, v == 0u ? 1u : 0u)
NB_UNARY(nb_is_nan_f32, float, uint8_t, v != v ? 1u : 0u)
NB_UNARY(nb_is_positive_infinity_f32, float, uint8_t, v == NB_INFINITY ? 1u : 0u)
NB_UNARY(nb_is_negative_infinity_f32, float, uint8_t, v == -NB_INFINITY ? 1u : 0u)
NB_UNARY(nb_is_infinity_f32, float, uint8_t, nb_abs(v) == NB_INFINITY ? 1u : 0u)
