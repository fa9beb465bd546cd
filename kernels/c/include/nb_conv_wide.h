/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_conv_wide: convolutions of 8-bit numbers for processors with long vectors.
 *
 * They are those of nb_conv_codes with weights in another order. Results of a channel are computed
 * side by side, as they lie, in as many lanes as a vector has; on processors without such vectors
 * the compiler makes of it what it can.
 */
#ifndef NB_CONV_WIDE_H
#define NB_CONV_WIDE_H

#include "nb_conv.h"

/*
 * conv_wide: weights of a group are [eights of output channels][fours of taps][8][4], filled up
 * with 0; taps are [in_channels][kernel]. A number x of type i8 is taken as x + 128, which the bias
 * makes up for. `columns` has room for 48 times the taps, up to a multiple of four.
 */
#define NB_DECLARE_CONV_WIDE(SUFFIX, X)                                                        \
    void nb_conv_wide_##SUFFIX(const nb_conv_config *config, const X *x, const int8_t *w,      \
                               const X *x_zero, const int32_t *bias, const float *factor,      \
                               const X *y_zero, X *y, void *columns);

NB_DECLARE_CONV_WIDE(u8, uint8_t)
NB_DECLARE_CONV_WIDE(i8, int8_t)
#undef NB_DECLARE_CONV_WIDE

#endif
