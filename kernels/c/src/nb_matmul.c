/* SPDX-License-Identifier: MIT-0 */
#include "nb_matmul.h"

#include "nb_blocks.h"
#include "nb_walk.h"

/*
 * Defines the computation of ROWS rows of LANES columns. The sums stay in registers; each number
 * of b serves all rows, each number of a all columns.
 */
#define NB_MATMUL_BLOCK(NAME, ROWS, LANES)                                             \
    static void NAME(const nb_matmul_config *c, const float *a, const float *b,        \
                     const float *bias, float *y)                                      \
    {                                                                                  \
        const int32_t depth = c->depth;                                                \
        const ptrdiff_t a_row = c->a_row;                                              \
        const ptrdiff_t a_depth = c->a_depth;                                          \
        const ptrdiff_t b_depth = c->b_depth;                                          \
        const ptrdiff_t y_row = c->y_row;                                              \
        float sum[ROWS][LANES];                                                        \
        for (int32_t i = 0; i < (ROWS); ++i) {                                         \
            for (int32_t j = 0; j < (LANES); ++j) {                                    \
                sum[i][j] = bias == NULL ? 0.0f                                        \
                                         : bias[i * c->bias_row + j * c->bias_column]; \
            }                                                                          \
        }                                                                              \
        for (int32_t k = 0; k < depth; ++k) {                                          \
            for (int32_t i = 0; i < (ROWS); ++i) {                                     \
                const float factor = a[i * a_row];                                     \
                NB_OVER_LANES                                                          \
                for (int32_t j = 0; j < (LANES); ++j) {                                \
                    sum[i][j] += factor * b[j];                                        \
                }                                                                      \
            }                                                                          \
            a += a_depth;                                                              \
            b += b_depth;                                                              \
        }                                                                              \
        for (int32_t i = 0; i < (ROWS); ++i) {                                         \
            for (int32_t j = 0; j < (LANES); ++j) {                                    \
                y[i * y_row + j] = sum[i][j];                                          \
            }                                                                          \
        }                                                                              \
    }

NB_MATMUL_BLOCK(nb_whole_block, NB_ROWS, NB_LANES)
NB_MATMUL_BLOCK(nb_half_block, NB_ROWS / 2, NB_LANES)
NB_MATMUL_BLOCK(nb_row_block, 1, NB_LANES)
NB_MATMUL_BLOCK(nb_narrow_block, NB_ROWS, NB_LANES / 2)
NB_MATMUL_BLOCK(nb_narrow_row, 1, NB_LANES / 2)

/* One result, wherever its factors lie. */
static void nb_single(const nb_matmul_config *c, const float *a, const float *b, const float *bias,
                      float *y)
{
    float sum = bias == NULL ? 0.0f : *bias;
    for (int32_t k = 0; k < c->depth; ++k) {
        sum += *a * *b;
        a += c->a_depth;
        b += c->b_depth;
    }
    *y = sum;
}

typedef void (*nb_block)(const nb_matmul_config *c, const float *a, const float *b,
                         const float *bias, float *y);

static int32_t nb_smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/*
 * Computes `width` columns from `column` on, some rows at a time. The last rows may be computed
 * twice, to the same bits.
 */
static void nb_panel(const nb_matmul_config *c, const float *a, const float *b, const float *bias,
                     float *y, int32_t column, nb_block block, int32_t height, nb_block one)
{
    const int32_t rows = c->rows;
    const int32_t step = rows >= height ? height : 1;
    const nb_block chosen = rows >= height ? block : one;
    b += (ptrdiff_t)column * c->b_column;
    y += column;
    for (int32_t row = 0; row < rows; row += step) {
        const ptrdiff_t first = nb_smaller(row, rows - step);
        const float *start = bias;
        if (bias != NULL) {
            start += first * c->bias_row + (ptrdiff_t)column * c->bias_column;
        }
        chosen(c, a + first * c->a_row, b, start, y + first * c->y_row);
    }
}

static void nb_product(const nb_matmul_config *c, const float *a, const float *b,
                       const float *bias, float *y)
{
    const int is_vector = c->b_column == 1;
    if (is_vector && c->columns >= NB_LANES) {
        const int is_low = c->rows < NB_ROWS;
        for (int32_t column = 0; column < c->columns; column += NB_LANES) {
            const int32_t first = nb_smaller(column, c->columns - NB_LANES);
            nb_panel(c, a, b, bias, y, first, is_low ? nb_half_block : nb_whole_block,
                     is_low ? NB_ROWS / 2 : NB_ROWS, nb_row_block);
        }
    } else if (is_vector && c->columns >= NB_LANES / 2) {
        nb_panel(c, a, b, bias, y, 0, nb_narrow_block, NB_ROWS, nb_narrow_row);
        nb_panel(c, a, b, bias, y, c->columns - NB_LANES / 2, nb_narrow_block, NB_ROWS,
                 nb_narrow_row);
    } else {
        for (int32_t column = 0; column < c->columns; ++column) {
            nb_panel(c, a, b, bias, y, column, nb_single, 1, nb_single);
        }
    }
}

void nb_matmul_f32(const nb_matmul_config *config, const float *a, const float *b,
                   const float *bias, float *y)
{
    nb_walk walk = {{0}, 0, 0, 0};
    if (nb_is_empty(config->rank, config->dims) || config->rows <= 0 || config->columns <= 0) {
        return;
    }
    for (;;) {
        for (int32_t i = 0; i < config->dims[config->rank - 1]; ++i) {
            const ptrdiff_t at = i;
            nb_product(config, a + walk.a + at * config->a_stack[config->rank - 1],
                       b + walk.b + at * config->b_stack[config->rank - 1], bias,
                       y + walk.c + at * config->y_stack[config->rank - 1]);
        }
        if (!nb_next_row(&walk, config->rank, config->dims, config->a_stack, config->b_stack,
                         config->y_stack)) {
            return;
        }
    }
}

void nb_gemm_finish_f32(const nb_gemm_finish_config *config, const float *bias, float *y)
{
    for (int32_t i = 0; i < config->rows; ++i) {
        for (int32_t j = 0; j < config->columns; ++j) {
            float *at = y + (ptrdiff_t)i * config->columns + j;
            *at = config->alpha * *at;
            if (bias != NULL) {
                *at += config->beta * bias[(ptrdiff_t)i * config->bias_row
                                           + (ptrdiff_t)j * config->bias_column];
            }
        }
    }
}
