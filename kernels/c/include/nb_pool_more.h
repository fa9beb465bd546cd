/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_pool_more: nb_pool of codes, and where the largest elements are.
 */
#ifndef NB_POOL_MORE_H
#define NB_POOL_MORE_H

#include "nb_pool.h"
#include "nb_quantize.h"

void nb_max_pool_i8(const nb_pool_config *config, const int8_t *x, int8_t *y);
void nb_max_pool_i16(const nb_pool_config *config, const int16_t *x, int16_t *y);
void nb_max_pool_u8(const nb_pool_config *config, const uint8_t *x, uint8_t *y);
void nb_max_pool_u16(const nb_pool_config *config, const uint16_t *x, uint16_t *y);

/*
 * Also gives where the first largest element (or NaN) of each window is, in the whole of x; its
 * channels follow each other.
 */
void nb_max_pool_places_f32(const nb_pool_config *config, const float *x, float *y,
                            int64_t *places);

/* Means of codes; `by` is the scale and the zero point of x, then those of y. */
void nb_average_pool_i8(const nb_pool_config *config, const int8_t *x, const float *by, int8_t *y);
void nb_average_pool_u8(const nb_pool_config *config, const uint8_t *x, const float *by,
                        uint8_t *y);

/* The same where codes of x or of y have 16 bits: the zero point is added after rounding. */
#define NB_DECLARE_POOL(SUFFIX, X, Y)                                                     \
    void nb_average_pool_mixed_##SUFFIX(const nb_pool_config *config, const X *x,         \
                                        const float *by, Y *y);

NB_MIXED_CODES(NB_DECLARE_POOL)
#undef NB_DECLARE_POOL

#endif
