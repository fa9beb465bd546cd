/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_mixed: convolutions and products where codes of the data or of the result have 16 bits.
 *
 * Sums do not wrap around. They are multiplied by a float32 factor per output channel and rounded
 * to even; then the zero point is added. A bias or a zero point of the data that is NULL is 0.
 */
#ifndef NB_MIXED_H
#define NB_MIXED_H

#include "nb_matmul_quantized.h"
#include "nb_quantize.h"

/* What nb_conv_quantized does; weights are int8 and stand for themselves. The suffix is the types
   of x and y. Sums have 32 bits, `long` ones 64. */
#define NB_DECLARE_CONV(SUFFIX, X, Y)                                                             \
    void nb_conv_mixed_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,        \
                                const X *x_zero, const int32_t *bias, const float *factor,        \
                                const Y *y_zero, Y *y);                                           \
    void nb_conv_mixed_long_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,   \
                                     const X *x_zero, const int32_t *bias, const float *factor,   \
                                     const Y *y_zero, Y *y);

NB_MIXED_CODES(NB_DECLARE_CONV)
#undef NB_DECLARE_CONV

/* What nb_matmul_quantized does; the suffix is the types of a, b and y. Sums have 64 bits. */
#define NB_MIXED_PRODUCTS(DO)                  \
    DO(i8i8i16, int8_t, int8_t, int16_t)       \
    DO(i16i8i8, int16_t, int8_t, int8_t)       \
    DO(i16i8i16, int16_t, int8_t, int16_t)     \
    DO(i16i16i8, int16_t, int16_t, int8_t)     \
    DO(i16i16i16, int16_t, int16_t, int16_t)   \
    DO(u8i8u16, uint8_t, int8_t, uint16_t)     \
    DO(u8u8u16, uint8_t, uint8_t, uint16_t)    \
    DO(u16i8u8, uint16_t, int8_t, uint8_t)     \
    DO(u16i8u16, uint16_t, int8_t, uint16_t)   \
    DO(u16u16u8, uint16_t, uint16_t, uint8_t)  \
    DO(u16u16u16, uint16_t, uint16_t, uint16_t)

#define NB_DECLARE_MATMUL(SUFFIX, A, B, Y)                                                     \
    void nb_matmul_mixed_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,        \
                                  const B *b, const A *a_zero, const B *b_zero,                \
                                  const int32_t *bias, const float *factor, const Y *y_zero,   \
                                  Y *y);

NB_MIXED_PRODUCTS(NB_DECLARE_MATMUL)
#undef NB_DECLARE_MATMUL

#endif
