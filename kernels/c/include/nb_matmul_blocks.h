/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_matmul_blocks: the blocks of nb_matmul, and of what does the same and more.
 *
 * A unit includes it once. nb_all serves both: with NB_WITH_THEN it does what `then` says.
 */
#ifndef NB_MATMUL_BLOCKS_H
#define NB_MATMUL_BLOCKS_H

#include "nb_finish.h"
#include "nb_parallel.h"
#include "nb_subnormal.h"
#include "nb_walk.h"

/* What follows the sums of some results, from the first one on. */
typedef struct nb_after {
    const float *norm;
    const float *more;
} nb_after;

/* Where the number for sum[i][j] lies, by the strides of `bias` or of `norm`. */
#define NB_AT(WHAT, LANES) \
    ((ptrdiff_t)i * c->WHAT##_row + (ptrdiff_t)j * (LANES) * c->WHAT##_column)

/*
 * Defines the computation of ROWS rows of VECTORS vectors of TYPE. The sums stay in registers; each
 * vector of b serves all rows, each number of a all columns. TURNS is for the loop over terms.
 */
#define NB_MATMUL_BLOCK(NAME, ROWS, VECTORS, TYPE, LANES, KIND, TURNS)                        \
    static void NAME(const nb_matmul_config *c, const float *a, const float *b,               \
                     const float *bias, const nb_after *after, float *y)                      \
    {                                                                                         \
        const int32_t depth = c->depth;                                                       \
        const ptrdiff_t a_row = c->a_row;                                                     \
        const ptrdiff_t a_depth = c->a_depth;                                                 \
        const ptrdiff_t b_depth = c->b_depth;                                                 \
        TYPE sum[ROWS][VECTORS];                                                              \
        NB_OVER_TILE(ROWS, VECTORS, {                                                         \
            sum[i][j] = KIND##_ALL(0.0f);                                                     \
            if (bias != NULL) {                                                               \
                sum[i][j] = KIND##_EACH(bias + NB_AT(bias, LANES), c->bias_column);           \
            }                                                                                 \
        })                                                                                    \
        TURNS                                                                                 \
        for (int32_t k = 0; k < depth; ++k) {                                                 \
            TYPE right[VECTORS];                                                              \
            NB_UNROLLED                                                                       \
            for (int32_t j = 0; j < (VECTORS); ++j) {                                         \
                right[j] = KIND##_LOAD(b + j * (LANES));                                      \
            }                                                                                 \
            NB_UNROLLED                                                                       \
            for (int32_t i = 0; i < (ROWS); ++i) {                                            \
                NB_UNROLLED                                                                   \
                for (int32_t j = 0; j < (VECTORS); ++j) {                                     \
                    sum[i][j] += KIND##_TIMES_AT(right[j], a + i * a_row);                    \
                }                                                                             \
            }                                                                                 \
            a += a_depth;                                                                     \
            b += b_depth;                                                                     \
        }                                                                                     \
        (void)after;                                                                          \
        NB_IF_THEN(if (c->then != 0) {                                                        \
            NB_THEN(sum, c, after->norm + NB_AT(norm, LANES), c->norm_size, c->norm_column,   \
                    after->more + (ptrdiff_t)i * c->y_row + j * (LANES), ROWS, VECTORS, TYPE, \
                    KIND)                                                                     \
        })                                                                                    \
        NB_STORE_TILE(y + (ptrdiff_t)i * c->y_row + j * (LANES), ROWS, VECTORS, KIND)         \
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
                         const float *bias, const nb_after *after, float *y);

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

#if defined(NB_WITH_THEN)
/* What follows the sums from a row and a column on. */
static nb_after nb_after_at(const nb_matmul_config *c, const nb_after *after, ptrdiff_t row,
                            ptrdiff_t column)
{
    nb_after here = *after;
    if (here.norm != NULL) {
        here.norm += row * c->norm_row + column * c->norm_column;
    }
    if (here.more != NULL) {
        here.more += row * c->y_row + column;
    }
    return here;
}
#else
#define nb_after_at(C, AFTER, ROW, COLUMN) (*(AFTER))
#endif

/*
 * Computes the columns of one block, from `column` on. The last rows may be computed twice, to the
 * same bits.
 */
static void nb_panel(const nb_matmul_config *c, const float *a, const float *b, const float *bias,
                     const nb_after *after, float *y, int32_t column, const nb_cut *cut)
{
    b += (ptrdiff_t)column * c->b_column;
    y += column;
    for (int32_t row = 0; row < c->rows; row += cut->rows) {
        const ptrdiff_t first = nb_smaller(row, c->rows - cut->rows);
        const float *start = bias;
        if (bias != NULL) {
            start += first * c->bias_row + (ptrdiff_t)column * c->bias_column;
        }
        const nb_after here = nb_after_at(c, after, first, column);
        cut->block(c, a + first * c->a_row, b, start, &here, y + first * c->y_row);
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

/* Computes a panel of vectors again, where these took a subnormal number for 0. */
static void nb_panel_again(const nb_matmul_config *c, const float *a, const float *b,
                           const float *bias, const nb_after *after, float *y, int32_t column,
                           const nb_cut *cut)
{
    static const nb_cut fours = {1, 4, 4, nb_numbers};
    static const nb_cut single = {1, 1, 1, nb_single};
    const nb_cut *numbers = c->rows >= 4 && cut->columns % 4 == 0 ? &fours : &single;
    for (int32_t i = 0; i < cut->columns; i += numbers->columns) {
        nb_panel(c, a, b, bias, after, y, column + i, numbers);
    }
    nb_forget();
}

/* Goes over the columns; the last ones may be computed twice, to the same bits. */
static void nb_product(const nb_matmul_config *c, const float *a, const float *b,
                       const float *bias, const nb_after *after, float *y)
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
        const int32_t first = nb_smaller(column, c->columns - cut->columns);
        nb_panel(c, a, b, bias, after, y, first, cut);
        if (NB_FLUSHES && nb_was_flushed()) {
            nb_panel_again(c, a, b, bias, after, y, first, cut);
        }
        column += cut->columns;
    }
}

#if defined(NB_THREADS)
/* Cuts the rows into parts, a product each. */
static void nb_product_of_parts(const nb_matmul_config *c, const float *a, const float *b,
                                const float *bias, const nb_after *after, float *y)
{
    const int32_t parts = c->rows < 4 * NB_THREADS * NB_HIGH ? 1 : 4 * NB_THREADS;
    NB_PARALLEL(parts > 1, (ptrdiff_t)c->rows * c->columns * c->depth)
    for (int32_t part = 0; part < parts; ++part) {
        const int32_t first = (int32_t)((int64_t)c->rows * part / parts);
        const int32_t next = (int32_t)((int64_t)c->rows * (part + 1) / parts);
        const nb_after here = nb_after_at(c, after, first, 0);
        nb_matmul_config share = *c;
        share.rows = next - first;
        nb_product(&share, a + first * c->a_row, b,
                   bias == NULL ? NULL : bias + first * c->bias_row, &here, y + first * c->y_row);
    }
}
#else
#define nb_product_of_parts nb_product
#endif

static void nb_all(const nb_matmul_config *config, const float *a, const float *b,
                   const float *bias, const float *norm, const float *more, float *y)
{
    const int32_t last = config->rank - 1;
    nb_walk walk = {{0}, 0, 0, 0};
    if (nb_is_empty(config->rank, config->dims) || config->rows <= 0 || config->columns <= 0) {
        return;
    }
    const uint32_t before = nb_watch();
    do {
        for (int32_t i = 0; i < config->dims[last]; ++i) {
            const ptrdiff_t at = i;
            const ptrdiff_t to = walk.c + at * config->y_stack[last];
            const nb_after after = {norm, more == NULL ? NULL : more + to};
            nb_product_of_parts(config, a + walk.a + at * config->a_stack[last],
                                b + walk.b + at * config->b_stack[last], bias, &after, y + to);
        }
    } while (nb_next_row(&walk, config->rank, config->dims, config->a_stack, config->b_stack,
                         config->y_stack));
    nb_unwatch(before);
}

#endif
