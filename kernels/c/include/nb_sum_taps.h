/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_sum_taps: the loops of nb_conv_last over channels and taps, for the sums of a tile.
 */
#ifndef NB_SUM_TAPS_H
#define NB_SUM_TAPS_H

#include "nb_vec.h"

/* Adds a tap to all sums: FROM is under it for pixel i, `factors` its weights. */
#define NB_ADD_TAP(FROM, PIXELS, VECTORS, TYPE, LANES, KIND)   \
    {                                                          \
        TYPE factor[VECTORS];                                  \
        NB_UNROLLED                                            \
        for (int32_t j = 0; j < (VECTORS); ++j) {              \
            factor[j] = KIND##_LOAD(factors + j * (LANES));    \
        }                                                      \
        NB_UNROLLED                                            \
        for (int32_t i = 0; i < (PIXELS); ++i) {               \
            NB_UNROLLED                                        \
            for (int32_t j = 0; j < (VECTORS); ++j) {          \
                sum[i][j] += KIND##_TIMES_AT(factor[j], FROM); \
            }                                                  \
        }                                                      \
    }

/* All taps of all channels: a single one per channel, or rows and columns of them. */
#define NB_ALL_TAPS_1(...)                                           \
    const float *from = x + p->at;                                   \
    const float *factors = l->w;                                     \
    for (int32_t channel = 0; channel < c->in_channels; ++channel) { \
        NB_ADD_TAP(from + i * step, __VA_ARGS__)                     \
        from += c->x_channel;                                        \
        factors += width;                                            \
    }
#define NB_ALL_TAPS(...)                                                            \
    const ptrdiff_t column = (ptrdiff_t)c->dilations[1] * c->x_pixel;               \
    const ptrdiff_t line = (ptrdiff_t)c->dilations[0] * c->in_dims[1] * c->x_pixel; \
    const ptrdiff_t row = c->kernel[1] * width;                                     \
    const float *w = l->w + p->height.first * row + p->width.first * width;         \
    ptrdiff_t first = p->at + p->height.first * line + p->width.first * column;     \
    for (int32_t channel = 0; channel < c->in_channels; ++channel) {                \
        for (int32_t kh = 0; kh < p->height.end - p->height.first; ++kh) {          \
            const float *from = x + first + kh * line;                              \
            const float *factors = w + kh * row;                                    \
            for (int32_t kw = p->width.first; kw < p->width.end; ++kw) {            \
                NB_ADD_TAP(from + i * step, __VA_ARGS__)                            \
                from += column;                                                     \
                factors += width;                                                   \
            }                                                                       \
        }                                                                           \
        first += c->x_channel;                                                      \
        w += c->kernel[0] * row;                                                    \
    }
/* All taps of pixels anywhere. */
#define NB_ALL_TAPS_FROM(...)                                          \
    const int32_t taps = c->kernel[0] * c->kernel[1];                  \
    const float *factors = l->w;                                       \
    for (ptrdiff_t channel = 0; channel < c->in_channels; ++channel) { \
        const float *const *from = p->from;                            \
        for (int32_t tap = 0; tap < taps; ++tap) {                     \
            NB_ADD_TAP(from[i] + channel, __VA_ARGS__)                 \
            from += NB_HIGH;                                           \
            factors += width;                                          \
        }                                                              \
    }

#endif
