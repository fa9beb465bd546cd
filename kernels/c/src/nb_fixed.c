/* SPDX-License-Identifier: MIT-0 */
#include "nb_fixed.h"

#include "nb_taps.h"

void nb_gemm_fixed_i8(const nb_gemm_fixed_config *config, const int8_t *a, const int8_t *b,
                      const int32_t *bias, const int32_t *by, int8_t *y)
{
    const int32_t depth = config->depth;
    for (int32_t product = 0; product < config->batch; ++product) {
        for (int32_t row = 0; row < config->rows; ++row) {
            for (int32_t column = 0; column < config->columns; ++column) {
                const int8_t *line = b + (ptrdiff_t)column * config->b_column;
                const int32_t *factor = by + (ptrdiff_t)column * config->by_step;
                uint32_t sum = bias == NULL ? 0u : (uint32_t)bias[column];
                for (int32_t k = 0; k < depth; ++k) {
                    const int32_t left = a[k] - config->a_zero;
                    const int32_t right = line[(ptrdiff_t)k * config->b_depth] - config->b_zero;
                    sum += (uint32_t)(left * right);
                }
                *y++ = nb_code(nb_rescaled((int32_t)sum, factor[0], factor[1]), config->y_zero,
                               config->least, config->most);
            }
            a += depth;
        }
        b += (ptrdiff_t)depth * config->columns;
    }
}

static inline int8_t nb_sum_of(int32_t u, int32_t v, const int32_t *by)
{
    const int32_t left = nb_rescaled((u - by[0]) * (1 << 20), by[2], by[3]);
    const int32_t right = nb_rescaled((v - by[1]) * (1 << 20), by[4], by[5]);
    return nb_code(nb_rescaled(left + by[11] * right, by[6], by[7]), by[8], by[9], by[10]);
}

void nb_add_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                     const int32_t *by, int8_t *y)
NB_BINARY_BODY(int8_t, int8_t, nb_sum_of(u, v, by))

static inline int8_t nb_product_of(int32_t u, int32_t v, const int32_t *by)
{
    const int32_t product = (u - by[0]) * (v - by[1]);
    return nb_code(nb_rescaled(product, by[2], by[3]), by[4], by[5], by[6]);
}

void nb_mul_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                     const int32_t *by, int8_t *y)
NB_BINARY_BODY(int8_t, int8_t, nb_product_of(u, v, by))

/* Which taps of a window along an axis lie in the image. */
static nb_range nb_seen(const nb_pool_config *c, int32_t axis, int32_t place)
{
    const int32_t start = place * c->strides[axis] - c->pads[axis];
    return nb_inside(start, c->dilations[axis], c->kernel[axis], 0, c->in_dims[axis]);
}

static int8_t nb_mean_of(const nb_pool_config *c, const int8_t *x, const int32_t *place,
                         const int32_t *ends)
{
    const nb_range depth = nb_seen(c, 0, place[0]);
    const nb_range height = nb_seen(c, 1, place[1]);
    const nb_range width = nb_seen(c, 2, place[2]);
    int32_t sum = 0;
    int32_t count = 0;
    for (int32_t kd = depth.first; kd < depth.end; ++kd) {
        const int32_t at = place[0] * c->strides[0] - c->pads[0] + kd * c->dilations[0];
        for (int32_t kh = height.first; kh < height.end; ++kh) {
            const int32_t row = place[1] * c->strides[1] - c->pads[1] + kh * c->dilations[1];
            const int8_t *line = x + ((ptrdiff_t)at * c->in_dims[1] + row) * c->x_line;
            for (int32_t kw = width.first; kw < width.end; ++kw) {
                sum += line[place[2] * c->strides[2] - c->pads[2] + kw * c->dilations[2]];
                ++count;
            }
        }
    }
    count = count > 0 ? count : 1;
    const int32_t mean = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
    return nb_code(mean, 0, ends[0], ends[1]);
}

void nb_average_pool_fixed_i8(const nb_pool_config *config, const int8_t *x, const int32_t *ends,
                              int8_t *y)
{
    const ptrdiff_t behind = config->y_channel
        - (ptrdiff_t)config->out_dims[0] * config->out_dims[1] * config->out_dims[2];
    int32_t place[3];
    for (int32_t channel = 0; channel < config->channels; ++channel) {
        for (place[0] = 0; place[0] < config->out_dims[0]; ++place[0]) {
            for (place[1] = 0; place[1] < config->out_dims[1]; ++place[1]) {
                for (place[2] = 0; place[2] < config->out_dims[2]; ++place[2]) {
                    *y++ = nb_mean_of(config, x, place, ends);
                }
            }
        }
        x += config->x_channel;
        y += behind;
    }
}

void nb_mean_fixed_i8(const nb_mean_fixed_config *config, const int8_t *x, int8_t *y)
{
    const ptrdiff_t step = config->inner;
    for (int32_t outer = 0; outer < config->outer; ++outer) {
        for (int32_t inner = 0; inner < config->inner; ++inner) {
            const int8_t *from = x + outer * (config->size * step) + inner;
            int32_t sum = 0;
            for (int32_t k = 0; k < config->size; ++k) {
                sum += from[k * step];
            }
            sum -= config->x_zero * config->size;
            *y++ = nb_code(nb_rescaled(sum, config->multiplier, config->shift), config->y_zero,
                           INT8_MIN, INT8_MAX);
        }
    }
}

/* Keeps a number within 32 bits. */
static inline int32_t nb_kept(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

/* 1 / (1 + x) of x in [0, 1), both as fractions of 2^31, by three Newton steps. */
static int32_t nb_reciprocal(int32_t x)
{
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
    int32_t guess = 1515870810 + nb_high_product(half, -1010580540);
    for (int32_t turn = 0; turn < 3; ++turn) {
        const int32_t error = (1 << 29) - nb_high_product(half, guess);
        guess += nb_kept((int64_t)nb_high_product(guess, error) * 4);
    }
    return nb_kept((int64_t)guess * 2);
}

void nb_softmax_fixed_i8(const nb_softmax_fixed_config *config, const int8_t *x,
                         const int32_t *table, int8_t *y)
{
    const int32_t size = config->size;
    for (int32_t outer = 0; outer < config->outer; ++outer) {
        int32_t most = INT8_MIN;
        uint32_t total = 0u;
        int32_t length = 0;
        for (int32_t k = 0; k < size; ++k) {
            most = x[k] > most ? x[k] : most;
        }
        for (int32_t k = 0; k < size; ++k) {
            total += (uint32_t)nb_divided(table[255 + x[k] - most], 12);
        }
        while (length < 32 && (total >> length) != 0u) {
            ++length;
        }
        const uint32_t upper = total << (32 - length);
        const int32_t by = nb_reciprocal((int32_t)(upper - 2147483648u));
        for (int32_t k = 0; k < size; ++k) {
            const int32_t share = nb_high_product(by, table[255 + x[k] - most]);
            y[k] = nb_code(nb_divided(share, length + 3), -128, INT8_MIN, INT8_MAX);
        }
        x += size;
        y += size;
    }
}

static inline int8_t nb_away(float x, float scale, int32_t zero)
{
    const float scaled = x / scale;
    const float size = scaled < 0.0f ? -scaled : scaled;
    const float near = size > 65536.0f ? 65536.0f : size;
    int32_t whole = near == near ? (int32_t)near : 0;
    whole += near - (float)whole >= 0.5f ? 1 : 0;
    return nb_code(scaled < 0.0f ? -whole : whole, zero, INT8_MIN, INT8_MAX);
}

void nb_quantize_away_i8(const nb_quantize_away_config *config, const float *x,
                         const float *scale, const int8_t *zero, int8_t *y)
{
    const ptrdiff_t channels = config->channels;
    for (int32_t sample = 0; sample < config->batch; ++sample) {
        for (int32_t channel = 0; channel < config->channels; ++channel) {
            for (int32_t pixel = 0; pixel < config->pixels; ++pixel) {
                *y++ = nb_away(x[pixel * channels + channel], scale[0], zero[0]);
            }
        }
        x += config->pixels * channels;
    }
}
