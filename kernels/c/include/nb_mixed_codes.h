/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_mixed_codes: from codes to codes where those of the inputs or of the result have 16 bits.
 *
 * The suffix is the types of both. Numbers are computed as float32, in the order of the operators
 * that they stand for: scale * (code - zero), the operator, the quotient by the scale of y, which
 * is rounded to even, and the zero point.
 */
#ifndef NB_MIXED_CODES_H
#define NB_MIXED_CODES_H

#include "nb_codes.h"
#include "nb_quantize.h"

typedef struct nb_rescale_codes_config {
    int32_t count;
    int32_t least; /* the codes that results are between */
    int32_t most;
} nb_rescale_codes_config;

/*
 * add, mul: `by` is the scale and the zero point of a, of b and of y.
 * mean:     `by` is a factor, and the zero points of x and y.
 * rescale:  `by` is the scale and the zero point of x, of y, and a factor of numbers below 0.
 */
#define NB_DECLARE_MIXED(SUFFIX, X, Y)                                                            \
    void nb_add_mixed_##SUFFIX(const nb_binary_config *config, const X *a, const X *b,            \
                               const float *by, Y *y);                                            \
    void nb_mul_mixed_##SUFFIX(const nb_binary_config *config, const X *a, const X *b,            \
                               const float *by, Y *y);                                            \
    void nb_mean_mixed_##SUFFIX(const nb_mean_codes_config *config, const X *x, const float *by,  \
                                Y *y);                                                            \
    void nb_rescale_codes_##SUFFIX(const nb_rescale_codes_config *config, const X *x,             \
                                   const float *by, Y *y);

NB_MIXED_CODES(NB_DECLARE_MIXED)
#undef NB_DECLARE_MIXED

#endif
