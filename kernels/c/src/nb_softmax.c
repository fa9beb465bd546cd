/* SPDX-License-Identifier: MIT-0 */
#include "nb_softmax.h"

#include "nb_exp.h"
#include "nb_log.h"

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

void nb_softmax_f32(const nb_softmax_config *config, const float *x, float *y)
{
    const int32_t size = config->size;
    const int32_t inner = config->inner;
    const int32_t lines = inner == 1 ? config->outer : inner;
    const int32_t blocks = inner == 1 ? 1 : config->outer;
    const ptrdiff_t line = inner == 1 ? size : 1;
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
