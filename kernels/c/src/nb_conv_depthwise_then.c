/* SPDX-License-Identifier: MIT-0 */
#include "nb_conv_depthwise_then.h"

#define NB_WITH_THEN
#define nb_conv_config nb_conv_then_config
#include "nb_conv_depthwise.c"
