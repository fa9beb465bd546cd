/* SPDX-License-Identifier: MIT-0 */
#include "nb_softmax.h"

#include "nb_vec_exp.h"

#define NB_LINES 8 /* lines that are worked on together: each has a sum of its own */

/*
 * Defines the softmax of LINES lines, that start `line` apart and whose elements are `step` apart.
 * The exponentials are kept in y.
 */
#define NB_SOFTMAX_LINES(NAME, LINES)                                                        \
    static void NAME(const float *x, float *y, int32_t size, ptrdiff_t line, ptrdiff_t step) \
    {                                                                                        \
        float most[LINES];                                                                   \
        float total[LINES];                                                                  \
        for (int32_t i = 0; i < (LINES); ++i) {                                              \
            most[i] = -NB_INFINITY;                                                          \
            total[i] = 0.0f;                                                                 \
        }                                                                                    \
        for (int32_t k = 0; k < size; ++k) {                                                 \
            for (int32_t i = 0; i < (LINES); ++i) {                                          \
                most[i] = nb_max(most[i], x[i * line + k * step]);                           \
            }                                                                                \
        }                                                                                    \
        for (int32_t i = 0; i < (LINES); ++i) {                                              \
            const float *from = x + i * line;                                                \
            float *to = y + i * line;                                                        \
            if (step == 1) {                                                                 \
                for (int32_t k = 0; k < size; ++k) {                                         \
                    to[k] = nb_exp(from[k] - most[i]);                                       \
                }                                                                            \
            } else {                                                                         \
                for (int32_t k = 0; k < size; ++k) {                                         \
                    to[k * step] = nb_exp(from[k * step] - most[i]);                         \
                }                                                                            \
            }                                                                                \
        }                                                                                    \
        for (int32_t k = 0; k < size; ++k) {                                                 \
            for (int32_t i = 0; i < (LINES); ++i) {                                          \
                total[i] += y[i * line + k * step];                                          \
            }                                                                                \
        }                                                                                    \
        for (int32_t i = 0; i < (LINES); ++i) {                                              \
            float *to = y + i * line;                                                        \
            for (int32_t k = 0; k < size; ++k) {                                             \
                to[k * step] = to[k * step] / total[i];                                      \
            }                                                                                \
        }                                                                                    \
    }

NB_SOFTMAX_LINES(nb_softmax_many, NB_LINES)
NB_SOFTMAX_LINES(nb_softmax_one, 1)

#if NB_VL > 1
/*
 * Defines the softmax of LINES lines that lie one behind the other, or its logarithm: exponentials
 * are made vector by vector, and added as they are stored. Where one is NaN, so is the sum,
 * whatever was subtracted.
 */
#define NB_SOFTMAX_ROWS(NAME, LINES)                                                   \
    static void NAME(const float *x, float *y, int32_t size, int is_log)               \
    {                                                                                  \
        float most[LINES];                                                             \
        float total[LINES];                                                            \
        for (int32_t i = 0; i < (LINES); ++i) {                                        \
            most[i] = nb_largest(x + (ptrdiff_t)i * size, size);                       \
            total[i] = 0.0f;                                                           \
        }                                                                              \
        for (int32_t k = 0; k < size; k += NB_VL) {                                    \
            const int32_t count = size - k < NB_VL ? size - k : NB_VL;                 \
            float part[LINES][NB_VL];                                                  \
            for (int32_t i = 0; i < (LINES); ++i) {                                    \
                const ptrdiff_t at = (ptrdiff_t)i * size + k;                          \
                nb_vec v;                                                              \
                nb_load_few(&v, x + at, count, 0.0f);                                  \
                v = v - most[i];                                                       \
                nb_exp_vec(&v);                                                        \
                NB_BOUND(v);                                                           \
                if (NB_FLUSHES && nb_was_flushed()) {                                  \
                    for (int32_t j = 0; j < count; ++j) {                              \
                        part[i][j] = nb_exp(x[at + j] - most[i]);                      \
                    }                                                                  \
                    v = NB_LOAD(part[i]);                                              \
                    nb_forget();                                                       \
                }                                                                      \
                NB_STORE(part[i], v);                                                  \
                if (!is_log) {                                                         \
                    nb_store_few(y + at, &v, count);                                   \
                }                                                                      \
            }                                                                          \
            for (int32_t j = 0; j < count; ++j) {                                      \
                NB_UNROLLED                                                            \
                for (int32_t i = 0; i < (LINES); ++i) {                                \
                    total[i] += part[i][j];                                            \
                }                                                                      \
            }                                                                          \
        }                                                                              \
        for (int32_t i = 0; i < (LINES); ++i) {                                        \
            const float *from = x + (ptrdiff_t)i * size;                               \
            float *to = y + (ptrdiff_t)i * size;                                       \
            if (is_log) {                                                              \
                const float log = nb_log(total[i]);                                    \
                NB_EACH_VEC(size, from, to, v = (v - most[i]) - log,                   \
                            (u - most[i]) - log)                                       \
            } else {                                                                   \
                NB_EACH_VEC(size, to, to, v = v / total[i], u / total[i])              \
            }                                                                          \
        }                                                                              \
    }

NB_SOFTMAX_ROWS(nb_softmax_rows, NB_LINES)
NB_SOFTMAX_ROWS(nb_softmax_row, 1)

static void nb_softmax_all_rows(const nb_softmax_config *config, const float *x, float *y,
                                int is_log)
{
    const ptrdiff_t size = config->size;
    const uint32_t before = nb_watch();
    int32_t row = 0;
    for (; row + NB_LINES <= config->outer; row += NB_LINES) {
        nb_softmax_rows(x + row * size, y + row * size, config->size, is_log);
    }
    for (; row < config->outer; ++row) {
        nb_softmax_row(x + row * size, y + row * size, config->size, is_log);
    }
    nb_unwatch(before);
}
#endif

void nb_softmax_f32(const nb_softmax_config *config, const float *x, float *y)
{
    const int32_t size = config->size;
    const int32_t inner = config->inner;
    const int32_t lines = inner == 1 ? config->outer : inner;
    const int32_t blocks = inner == 1 ? 1 : config->outer;
    const ptrdiff_t line = inner == 1 ? size : 1;
#if NB_VL > 1
    if (inner == 1) {
        nb_softmax_all_rows(config, x, y, 0);
        return;
    }
#endif
    for (int32_t block = 0; block < blocks; ++block) {
        const ptrdiff_t start = (ptrdiff_t)block * size * inner;
        int32_t i = 0;
        for (; i + NB_LINES <= lines; i += NB_LINES) {
            nb_softmax_many(x + start + i * line, y + start + i * line, size, line, inner);
        }
        for (; i < lines; ++i) {
            nb_softmax_one(x + start + i * line, y + start + i * line, size, line, inner);
        }
    }
}

/* Goes over lines; BODY sees the first element of x and y as `from` and `to`, and `step`. */
#define NB_EACH_LINE(CONFIG, BODY)                                                    \
    for (int32_t outer = 0; outer < (CONFIG)->outer; ++outer) {                       \
        for (int32_t inner = 0; inner < (CONFIG)->inner; ++inner) {                   \
            const ptrdiff_t step = (CONFIG)->inner;                                   \
            const ptrdiff_t start = (ptrdiff_t)outer * (CONFIG)->size * step + inner; \
            const float *from = x + start;                                            \
            float *to = y + start;                                                    \
            BODY                                                                      \
        }                                                                             \
    }

void nb_log_softmax_f32(const nb_softmax_config *config, const float *x, float *y)
{
    const int32_t size = config->size;
#if NB_VL > 1
    if (config->inner == 1) {
        nb_softmax_all_rows(config, x, y, 1);
        return;
    }
#endif
    NB_EACH_LINE(config, {
        float most = -NB_INFINITY;
        float total = 0.0f;
        for (int32_t k = 0; k < size; ++k) {
            most = nb_max(most, from[k * step]);
        }
        for (int32_t k = 0; k < size; ++k) {
            total += nb_exp(from[k * step] - most);
        }
        const float log = nb_log(total);
        for (int32_t k = 0; k < size; ++k) {
            to[k * step] = (from[k * step] - most) - log;
        }
    })
}

void nb_l1_normalize_f32(const nb_softmax_config *config, const float *x, float *y)
{
    const int32_t size = config->size;
    NB_EACH_LINE(config, {
        float total = 0.0f;
        for (int32_t k = 0; k < size; ++k) {
            total += nb_abs(from[k * step]);
        }
        const float norm = total == 0.0f ? 1.0f : total;
        for (int32_t k = 0; k < size; ++k) {
            to[k * step] = from[k * step] / norm;
        }
    })
}

void nb_l2_normalize_f32(const nb_softmax_config *config, const float *x, float *y)
{
    const int32_t size = config->size;
    NB_EACH_LINE(config, {
        float total = 0.0f;
        for (int32_t k = 0; k < size; ++k) {
            total += from[k * step] * from[k * step];
        }
        const float root = nb_sqrt(total);
        const float norm = root == 0.0f ? 1.0f : root;
        for (int32_t k = 0; k < size; ++k) {
            to[k * step] = from[k * step] / norm;
        }
    })
}

void nb_hardmax_f32(const nb_softmax_config *config, const float *x, float *y)
{
    const int32_t size = config->size;
    NB_EACH_LINE(config, {
        int32_t best = 0;
        for (int32_t k = 0; k < size; ++k) {
            const float v = from[k * step];
            const float most = from[best * step];
            best = (most < v || (v != v && most == most)) ? k : best;
        }
        for (int32_t k = 0; k < size; ++k) {
            to[k * step] = k == best ? 1.0f : 0.0f;
        }
    })
}
