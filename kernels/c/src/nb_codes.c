/* SPDX-License-Identifier: MIT-0 */
#include "nb_codes.h"

#include "nb_quantize.h"

#define NB_LEAST(TYPE) ((TYPE)-1 < (TYPE)0 ? -128.0f : 0.0f)
#define NB_LARGEST(TYPE) ((TYPE)-1 < (TYPE)0 ? 127.0f : 255.0f)

/*
 * a * b + c rounded once. Without an instruction for it: the product is exact in double; the sum
 * is moved to its odd neighbour where it is not, so that rounding it again meets no false tie.
 */
static inline float nb_fused(float a, float b, float c)
{
#ifdef __FP_FAST_FMAF
    return __builtin_fmaf(a, b, c);
#else
    const double product = (double)a * (double)b;
    const double term = (double)c;
    double total = product + term;
    const double back = total - product;
    const double rest = (product - (total - back)) + (term - back);
    uint64_t bits;
    memcpy(&bits, &total, sizeof bits);
    if (rest != 0.0 && total != 0.0 && (bits & 1u) == 0u) {
        bits += (rest > 0.0) == (total > 0.0) ? 1u : (uint64_t)-1;
        memcpy(&total, &bits, sizeof total);
    }
    return (float)total;
#endif
}

void nb_look_up(const nb_look_up_config *config, const void *x, const void *table, void *y)
{
    const uint8_t *from = (const uint8_t *)x;
    const uint8_t *entry = (const uint8_t *)table;
    uint8_t *to = (uint8_t *)y;
    for (int32_t outer = 0; outer < config->outer; ++outer) {
        for (int32_t i = 0; i < config->inner; ++i) {
            to[i] = entry[from[i]];
        }
        from += config->inner;
        to += config->y_step;
    }
}

/* Defines a kernel of two inputs that gives VALUE, of u from a and v from b, as a code. */
#define NB_BINARY_CODES(NAME, TYPE, VALUE)                                                     \
    void NAME(const nb_binary_config *config, const TYPE *a, const TYPE *b, const float *by,   \
              TYPE *y)                                                                         \
    {                                                                                          \
        const int32_t last = config->rank - 1;                                                 \
        nb_walk walk = {{0}, 0, 0, 0};                                                         \
        if (nb_is_empty(config->rank, config->dims)) {                                         \
            return;                                                                            \
        }                                                                                      \
        do {                                                                                   \
            for (int32_t i = 0; i < config->dims[last]; ++i) {                                 \
                const float u = (float)a[walk.a + (ptrdiff_t)i * config->a_strides[last]];     \
                const float v = (float)b[walk.b + (ptrdiff_t)i * config->b_strides[last]];     \
                const float whole = nb_rint(VALUE);                                            \
                const float not_low = whole < NB_LEAST(TYPE) ? NB_LEAST(TYPE) : whole;         \
                *y++ = (TYPE)(not_low > NB_LARGEST(TYPE) ? NB_LARGEST(TYPE) : not_low);        \
            }                                                                                  \
        } while (nb_next_row(&walk, config->rank, config->dims, config->a_strides,             \
                             config->b_strides, NULL));                                        \
    }

#define NB_LINES_OF_CODES(BODY)                                             \
    for (int32_t outer = 0; outer < config->outer; ++outer) {               \
        for (int32_t inner = 0; inner < config->inner; ++inner) {           \
            const ptrdiff_t step = config->inner;                           \
            const ptrdiff_t start = outer * (config->size * step) + inner;  \
            BODY                                                            \
        }                                                                   \
    }

#define NB_DEFINE_CODES(SUFFIX, TYPE)                                                            \
    NB_BINARY_CODES(nb_add_codes_##SUFFIX, TYPE, nb_fused(u, by[0], nb_fused(v, by[1], by[2])))  \
    NB_BINARY_CODES(nb_mul_codes_##SUFFIX, TYPE, ((u - by[1]) * (v - by[2])) * by[0] + by[3])    \
    void nb_mean_codes_##SUFFIX(const nb_mean_codes_config *config, const TYPE *x,               \
                                const float *by, TYPE *y)                                        \
    {                                                                                            \
        NB_LINES_OF_CODES({                                                                      \
            int32_t sum = 0;                                                                     \
            for (int32_t k = 0; k < config->size; ++k) {                                         \
                sum += x[start + k * step];                                                      \
            }                                                                                    \
            *y++ = (TYPE)nb_requantized(sum - (int32_t)by[1] * config->size, by[0],              \
                                        (int32_t)by[2], NB_LEAST(TYPE), NB_LARGEST(TYPE));       \
        })                                                                                       \
    }                                                                                            \
    void nb_softmax_codes_##SUFFIX(const nb_softmax_codes_config *config, const TYPE *x,         \
                                   const float *table, const float *by, TYPE *y)                 \
    {                                                                                            \
        NB_LINES_OF_CODES({                                                                      \
            int32_t most = INT32_MIN;                                                            \
            float total = 0.0f;                                                                  \
            for (int32_t k = 0; k < config->size; ++k) {                                         \
                most = x[start + k * step] > most ? x[start + k * step] : most;                  \
            }                                                                                    \
            for (int32_t k = 0; k < config->size; ++k) {                                         \
                total += table[255 + x[start + k * step] - most];                                \
            }                                                                                    \
            for (int32_t k = 0; k < config->size; ++k) {                                         \
                const float share = table[255 + x[start + k * step] - most] * by[0] / total;     \
                const float whole = nb_rint(share) + by[1];                                      \
                y[start + k * step] =                                                            \
                    (TYPE)(whole > NB_LARGEST(TYPE) ? NB_LARGEST(TYPE) : whole);                 \
            }                                                                                    \
        })                                                                                       \
    }

NB_CODES(NB_DEFINE_CODES)
