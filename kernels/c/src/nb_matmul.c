/* SPDX-License-Identifier: MIT-0 */
#include "nb_matmul.h"

#include "nb_parallel.h"
#include "nb_vec.h"
#include "nb_walk.h"

/*
 * Defines the computation of ROWS rows of VECTORS vectors of TYPE. The sums stay in registers; each
 * vector of b serves all rows, each number of a all columns. TURNS is for the loop over terms.
 */
#define NB_MATMUL_BLOCK(NAME, ROWS, VECTORS, TYPE, LANES, KIND, TURNS)                         \
    static void NAME(const nb_matmul_config *c, const float *a, const float *b,                \
                     const float *bias, float *y)                                              \
    {                                                                                          \
        const int32_t depth = c->depth;                                                        \
        const ptrdiff_t a_row = c->a_row;                                                      \
        const ptrdiff_t a_depth = c->a_depth;                                                  \
        const ptrdiff_t b_depth = c->b_depth;                                                  \
        TYPE sum[ROWS][VECTORS];                                                               \
        NB_UNROLLED                                                                            \
        for (int32_t i = 0; i < (ROWS); ++i) {                                                 \
            NB_UNROLLED                                                                        \
            for (int32_t j = 0; j < (VECTORS); ++j) {                                          \
                const ptrdiff_t at = (ptrdiff_t)i * c->bias_row                                \
                    + (ptrdiff_t)j * (LANES) * c->bias_column;                                 \
                if (bias == NULL) {                                                            \
                    sum[i][j] = KIND##_ALL(0.0f);                                              \
                } else if (c->bias_column == 0) {                                              \
                    sum[i][j] = KIND##_ALL(bias[at]);                                          \
                } else {                                                                       \
                    sum[i][j] = KIND##_LOAD(bias + at);                                        \
                }                                                                              \
            }                                                                                  \
        }                                                                                      \
        TURNS                                                                                  \
        for (int32_t k = 0; k < depth; ++k) {                                                  \
            TYPE right[VECTORS];                                                               \
            NB_UNROLLED                                                                        \
            for (int32_t j = 0; j < (VECTORS); ++j) {                                          \
                right[j] = KIND##_LOAD(b + j * (LANES));                                       \
            }                                                                                  \
            NB_UNROLLED                                                                        \
            for (int32_t i = 0; i < (ROWS); ++i) {                                             \
                NB_UNROLLED                                                                    \
                for (int32_t j = 0; j < (VECTORS); ++j) {                                      \
                    sum[i][j] += KIND##_TIMES_AT(right[j], a + i * a_row);                     \
                }                                                                              \
            }                                                                                  \
            a += a_depth;                                                                      \
            b += b_depth;                                                                      \
        }                                                                                      \
        NB_UNROLLED                                                                            \
        for (int32_t i = 0; i < (ROWS); ++i) {                                                 \
            NB_UNROLLED                                                                        \
            for (int32_t j = 0; j < (VECTORS); ++j) {                                          \
                KIND##_STORE(y + (ptrdiff_t)i * c->y_row + (ptrdiff_t)j * (LANES), sum[i][j]); \
            }                                                                                  \
        }                                                                                      \
    }

/* Blocks of vectors, and of numbers. */
#define NB_VECTORS(NAME, ROWS, VECTORS, TURNS)              \
    NB_MATMUL_BLOCK(NAME, ROWS, VECTORS, nb_vec, NB_VL, NB, \
                    TURNS)
#define NB_NUMBERS(NAME, ROWS, COLUMNS, TURNS) \
    NB_MATMUL_BLOCK(NAME, ROWS, COLUMNS, float, 1, NB_ONE, TURNS)

#if NB_VL > 1
NB_VECTORS(nb_block_3, NB_HIGH, NB_WIDE, )
#if NB_WIDE > 1
NB_VECTORS(nb_block_2, NB_HIGH, 2, )
NB_VECTORS(nb_block_1, NB_HIGH, 1, )
#endif
NB_VECTORS(nb_row_8, 1, NB_LONG, NB_TURNS)
NB_VECTORS(nb_row_1, 1, 1, NB_TURNS)
#endif
NB_NUMBERS(nb_numbers, 4, 4, )
NB_NUMBERS(nb_numbers_row, 1, 8, NB_TURNS)
NB_NUMBERS(nb_numbers_column, 4, 1, NB_TURNS)
NB_NUMBERS(nb_single, 1, 1, NB_TURNS)

typedef void (*nb_block)(const nb_matmul_config *c, const float *a, const float *b,
                         const float *bias, float *y);

/* A way to cut a matrix into blocks. */
typedef struct nb_cut {
    int32_t narrowest; /* columns of the last cut of its list */
    int32_t columns;
    int32_t rows;
    nb_block block;
} nb_cut;

static int32_t nb_smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/*
 * Computes the columns of one block, from `column` on. The last rows may be computed twice, to the
 * same bits.
 */
static void nb_panel(const nb_matmul_config *c, const float *a, const float *b, const float *bias,
                     float *y, int32_t column, const nb_cut *cut)
{
    b += (ptrdiff_t)column * c->b_column;
    y += column;
    for (int32_t row = 0; row < c->rows; row += cut->rows) {
        const ptrdiff_t first = nb_smaller(row, c->rows - cut->rows);
        const float *start = bias;
        if (bias != NULL) {
            start += first * c->bias_row + (ptrdiff_t)column * c->bias_column;
        }
        cut->block(c, a + first * c->a_row, b, start, y + first * c->y_row);
    }
}

/* The cuts for several rows, and for one; the widest first, the last one for any number. */
static const nb_cut *nb_cuts(const nb_matmul_config *c)
{
#if NB_VL > 1
    static const nb_cut high[] = {
        {NB_VL, NB_WIDE * NB_VL, NB_HIGH, nb_block_3},
#if NB_WIDE > 1
        {NB_VL, 2 * NB_VL, NB_HIGH, nb_block_2},
        {NB_VL, NB_VL, NB_HIGH, nb_block_1},
#endif
    };
    static const nb_cut low[] = {
        {NB_VL, NB_LONG * NB_VL, 1, nb_row_8},
        {NB_VL, NB_VL, 1, nb_row_1},
    };
#endif
    static const nb_cut high_numbers[] = {{1, 4, 4, nb_numbers}, {1, 1, 4, nb_numbers_column}};
    static const nb_cut low_numbers[] = {{1, 8, 1, nb_numbers_row}, {1, 1, 1, nb_single}};
    const nb_cut *cuts = c->rows >= 4 ? high_numbers : low_numbers;
#if NB_VL > 1
    if (c->b_column == 1 && c->columns >= NB_VL) {
        return c->rows >= NB_HIGH ? high : low;
    }
#endif
    return c->b_column == 1 ? cuts : cuts + 1;
}

/* Goes over the columns; the last ones may be computed twice, to the same bits. */
static void nb_product(const nb_matmul_config *c, const float *a, const float *b,
                       const float *bias, float *y)
{
    const nb_cut *cut = nb_cuts(c);
    int32_t column = 0;
    while (cut->columns > c->columns) {
        ++cut;
    }
    while (column < c->columns) {
        while (cut->narrowest < cut->columns && cut[1].columns >= c->columns - column) {
            ++cut; /* a narrower one that holds what is left */
        }
        nb_panel(c, a, b, bias, y, nb_smaller(column, c->columns - cut->columns), cut);
        column += cut->columns;
    }
}

#if defined(NB_THREADS)
/* Cuts the rows into parts, a product each. */
static void nb_product_of_parts(const nb_matmul_config *c, const float *a, const float *b,
                                const float *bias, float *y)
{
    const int32_t parts = c->rows < 4 * NB_THREADS * NB_HIGH ? 1 : 4 * NB_THREADS;
    NB_PARALLEL(parts > 1, (ptrdiff_t)c->rows * c->columns * c->depth)
    for (int32_t part = 0; part < parts; ++part) {
        const int32_t first = (int32_t)((int64_t)c->rows * part / parts);
        const int32_t next = (int32_t)((int64_t)c->rows * (part + 1) / parts);
        nb_matmul_config share = *c;
        share.rows = next - first;
        nb_product(&share, a + first * c->a_row, b,
                   bias == NULL ? NULL : bias + first * c->bias_row, y + first * c->y_row);
    }
}
#else
#define nb_product_of_parts nb_product
#endif

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
            nb_product_of_parts(config, a + walk.a + at * config->a_stack[config->rank - 1],
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
