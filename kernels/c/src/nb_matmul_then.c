/* SPDX-License-Identifier: MIT-0 */
#include "nb_matmul_then.h"

#define NB_WITH_THEN
#define nb_matmul_config nb_matmul_then_config
#include "nb_matmul.c"
