/* SPDX-License-Identifier: MIT-0 */
#include "nb_fixed_wide.h"

#include "nb_curve.h"
#include "nb_taps.h"

static int16_t nb_scaled_sum(int64_t sum, const int32_t *by, const int32_t *ends)
{
    const int32_t whole = ends[2] != 0 ? nb_rescaled_wide(sum, by[0], by[1])
                                       : nb_rescaled((int32_t)sum, by[0], by[1]);
    return nb_code_wide(whole, 0, ends[0], ends[1]);
}

/* The sum of the products of one window; x and w are those of its group and its output. */
static int64_t nb_window_sum(const nb_conv_config *c, const int16_t *x, const int8_t *w,
                             const int32_t *start)
{
    nb_range range[3];
    int64_t sum = 0;
    for (int32_t axis = 0; axis < 3; ++axis) {
        range[axis] =
            nb_inside(start[axis], c->dilations[axis], c->kernel[axis], 0, c->in_dims[axis]);
    }
    for (int32_t channel = 0; channel < c->in_channels; ++channel) {
        for (int32_t kd = range[0].first; kd < range[0].end; ++kd) {
            const ptrdiff_t plane = start[0] + kd * c->dilations[0];
            for (int32_t kh = range[1].first; kh < range[1].end; ++kh) {
                const ptrdiff_t row = plane * c->in_dims[1] + start[1] + kh * c->dilations[1];
                const int16_t *line = x + row * c->x_line + start[2];
                const int8_t *taps = w + ((ptrdiff_t)kd * c->kernel[1] + kh) * c->kernel[2];
                for (int32_t kw = range[2].first; kw < range[2].end; ++kw) {
                    sum += (int32_t)line[kw * c->dilations[2]] * taps[kw];
                }
            }
        }
        x += c->x_channel;
        w += (ptrdiff_t)c->kernel[0] * c->kernel[1] * c->kernel[2];
    }
    return sum;
}

void nb_conv_wide(const nb_conv_config *config, const int16_t *x, const int8_t *w,
                  const int64_t *bias, const int32_t *by, const int32_t *ends, int16_t *y)
{
    const nb_conv_config *c = config;
    const ptrdiff_t image = (ptrdiff_t)c->in_channels * c->x_channel;
    const ptrdiff_t behind =
        c->y_channel - (ptrdiff_t)c->out_dims[0] * c->out_dims[1] * c->out_dims[2];
    const ptrdiff_t taps =
        (ptrdiff_t)c->in_channels * c->kernel[0] * c->kernel[1] * c->kernel[2];
    const int32_t outs = c->groups * c->out_channels;
    int32_t at[3];
    for (int32_t sample = 0; sample < c->batch; ++sample) {
        for (int32_t out = 0; out < outs; ++out) {
            const int16_t *data = x + (out / c->out_channels) * image;
            for (at[0] = 0; at[0] < c->out_dims[0]; ++at[0]) {
                for (at[1] = 0; at[1] < c->out_dims[1]; ++at[1]) {
                    for (at[2] = 0; at[2] < c->out_dims[2]; ++at[2]) {
                        const int32_t start[3] = {at[0] * c->strides[0] - c->pads[0],
                                                  at[1] * c->strides[1] - c->pads[1],
                                                  at[2] * c->strides[2] - c->pads[2]};
                        const int64_t sum = nb_window_sum(c, data, w + out * taps, start);
                        *y++ = nb_scaled_sum(sum + (bias == NULL ? 0 : bias[out]),
                                             by + 2 * (ptrdiff_t)out, ends);
                    }
                }
            }
            y += behind;
        }
        x += c->groups * image;
    }
}

#define NB_GEMM_WIDE(TYPE, BIAS, STEP)                                                       \
    {                                                                                        \
        const int32_t depth = config->depth;                                                 \
        for (int32_t product = 0; product < config->batch; ++product) {                      \
            for (int32_t row = 0; row < config->rows; ++row) {                               \
                for (int32_t column = 0; column < config->columns; ++column) {               \
                    const TYPE *line = b + (ptrdiff_t)column * config->b_column;             \
                    int64_t sum = BIAS;                                                      \
                    for (int32_t k = 0; k < depth; ++k) {                                    \
                        sum += (int32_t)a[k] * line[(ptrdiff_t)k * config->b_depth];         \
                    }                                                                        \
                    *y++ = nb_scaled_sum(sum, by + (ptrdiff_t)column * (STEP), ends);        \
                }                                                                            \
                a += depth;                                                                  \
            }                                                                                \
            b += (ptrdiff_t)depth * config->columns;                                         \
        }                                                                                    \
    }

void nb_gemm_wide(const nb_gemm_fixed_config *config, const int16_t *a, const int8_t *b,
                  const int64_t *bias, const int32_t *by, const int32_t *ends, int16_t *y)
NB_GEMM_WIDE(int8_t, bias == NULL ? 0 : bias[column], config->by_step)

void nb_matmul_wide(const nb_gemm_fixed_config *config, const int16_t *a, const int16_t *b,
                    const int32_t *by, const int32_t *ends, int16_t *y)
NB_GEMM_WIDE(int16_t, 0, 0)

static inline int16_t nb_sum_wide(int32_t u, int32_t v, const int32_t *by)
{
    const int32_t left = nb_rescaled(u * (1 << 15), by[2], by[3]);
    const int32_t right = nb_rescaled(v * (1 << 15), by[4], by[5]);
    return nb_code_wide(nb_rescaled(left + by[11] * right, by[6], by[7]), 0, by[9], by[10]);
}

void nb_add_wide(const nb_binary_config *config, const int16_t *a, const int16_t *b,
                 const int32_t *by, int16_t *y)
NB_BINARY_BODY(int16_t, int16_t, nb_sum_wide(u, v, by))

void nb_mul_wide(const nb_binary_config *config, const int16_t *a, const int16_t *b,
                 const int32_t *by, int16_t *y)
NB_BINARY_BODY(int16_t, int16_t,
               nb_code_wide(nb_rescaled((int32_t)u * v, by[2], by[3]), 0, by[5], by[6]))

static inline int16_t nb_square_of_wide(int32_t u, int32_t v, const int32_t *by)
{
    const int32_t difference = nb_rescaled(u, by[2], by[3]) - nb_rescaled(v, by[4], by[5]);
    const int32_t square = difference * difference;
    return nb_code_wide(nb_rescaled(square, by[6], by[7]), 0, INT16_MIN, INT16_MAX);
}

void nb_square_wide(const nb_binary_config *config, const int16_t *a, const int16_t *b,
                    const int32_t *by, int16_t *y)
NB_BINARY_BODY(int16_t, int16_t, nb_square_of_wide(u, v, by))

static int16_t nb_mean_of_wide(const nb_pool_config *c, const int16_t *x, const int32_t *place,
                               const int32_t *ends)
{
    nb_range range[3];
    int32_t start[3];
    int32_t sum = 0;
    int32_t count = 1;
    for (int32_t axis = 0; axis < 3; ++axis) {
        start[axis] = place[axis] * c->strides[axis] - c->pads[axis];
        range[axis] =
            nb_inside(start[axis], c->dilations[axis], c->kernel[axis], 0, c->in_dims[axis]);
        count *= range[axis].end - range[axis].first;
    }
    for (int32_t kd = range[0].first; kd < range[0].end; ++kd) {
        const ptrdiff_t plane = start[0] + kd * c->dilations[0];
        for (int32_t kh = range[1].first; kh < range[1].end; ++kh) {
            const ptrdiff_t row = plane * c->in_dims[1] + start[1] + kh * c->dilations[1];
            for (int32_t kw = range[2].first; kw < range[2].end; ++kw) {
                sum += x[row * c->x_line + start[2] + kw * c->dilations[2]];
            }
        }
    }
    count = count > 0 ? count : 1;
    const int32_t mean = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
    return nb_code_wide(mean, 0, ends[0], ends[1]);
}

void nb_average_pool_wide(const nb_pool_config *config, const int16_t *x, const int32_t *ends,
                          int16_t *y)
{
    const nb_pool_config *c = config;
    const ptrdiff_t behind =
        c->y_channel - (ptrdiff_t)c->out_dims[0] * c->out_dims[1] * c->out_dims[2];
    int32_t place[3];
    for (int32_t channel = 0; channel < c->channels; ++channel) {
        for (place[0] = 0; place[0] < c->out_dims[0]; ++place[0]) {
            for (place[1] = 0; place[1] < c->out_dims[1]; ++place[1]) {
                for (place[2] = 0; place[2] < c->out_dims[2]; ++place[2]) {
                    *y++ = nb_mean_of_wide(c, x, place, ends);
                }
            }
        }
        x += c->x_channel;
        y += behind;
    }
}

void nb_mean_wide(const nb_mean_fixed_config *config, const int16_t *x, int16_t *y)
{
    for (int32_t outer = 0; outer < config->outer; ++outer) {
        for (int32_t inner = 0; inner < config->inner; ++inner) {
            const int16_t *from = x + inner;
            int32_t sum = 0;
            for (int32_t k = 0; k < config->size; ++k) {
                sum += from[(ptrdiff_t)k * config->inner];
            }
            *y++ = nb_code_wide(nb_rescaled(sum, config->multiplier, config->shift), 0, INT16_MIN,
                                INT16_MAX);
        }
        x += (ptrdiff_t)config->size * config->inner;
    }
}

#define NB_RESCALE(NAME, FROM, TO, CODE)                                                      \
    void NAME(const nb_rescale_config *config, const FROM *x, const int32_t *by, TO *y)       \
    {                                                                                         \
        for (int32_t i = 0; i < config->count; ++i) {                                         \
            const int32_t centred = x[i] - by[0];                                             \
            const int32_t *pair = by + (centred >= 0 ? 1 : 3);                                \
            y[i] = CODE(nb_rescaled(centred, pair[0], pair[1]), by[5], by[6], by[7]);         \
        }                                                                                     \
    }

NB_RESCALE(nb_rescale_i16i16, int16_t, int16_t, nb_code_wide)
NB_RESCALE(nb_rescale_i16i8, int16_t, int8_t, nb_code)
NB_RESCALE(nb_rescale_i8i16, int8_t, int16_t, nb_code_wide)

void nb_curve_wide(const nb_curve_config *config, const int16_t *x, const uint16_t *table,
                   int16_t *y)
{
    for (int32_t i = 0; i < config->count; ++i) {
        const int32_t place = nb_place(x[i], config->multiplier, config->shift);
        y[i] = config->is_tangent != 0 ? nb_tangent_at(table, place) : nb_sigmoid_at(table, place);
    }
}

/* The value between the entries of a table of 513 for a code of 16 bits. */
static int32_t nb_looked_up(const int16_t *table, int32_t code)
{
    const int32_t kept = code < INT16_MIN ? INT16_MIN : code > INT16_MAX ? INT16_MAX : code;
    const int32_t place = kept - INT16_MIN;
    const int16_t *entry = table + place / 128;
    return entry[0] + (((entry[1] - entry[0]) * (place % 128) + 64) >> 7);
}

void nb_softmax_wide(const nb_softmax_wide_config *config, const int16_t *x,
                     const int16_t *tables, int16_t *y)
{
    const int32_t size = config->size;
    for (int32_t outer = 0; outer < config->outer; ++outer) {
        int32_t most = INT16_MIN;
        int64_t total = 0;
        int32_t length = 0;
        for (int32_t k = 0; k < size; ++k) {
            most = x[k] > most ? x[k] : most;
        }
        for (int32_t k = 0; k < size; ++k) {
            const int32_t scaled = nb_rescaled(x[k] - most, config->multiplier, config->shift);
            y[k] = (int16_t)nb_looked_up(tables, scaled + INT16_MAX);
            total += y[k];
        }
        while (length < 31 && (total >> length) != 0) {
            ++length;
        }
        const int64_t upper = (total * ((int64_t)1 << (31 - length)) + (1 << 13)) >> 14;
        const int64_t share = nb_looked_up(tables + 513, (int32_t)(upper - 98304));
        for (int32_t k = 0; k < size; ++k) {
            const int64_t product = y[k] * share + ((int64_t)1 << (length - 2));
            const int64_t whole = product >> (length - 1);
            y[k] = (int16_t)(whole < 0 ? 0 : whole > INT16_MAX ? INT16_MAX : whole);
        }
        x += size;
        y += size;
    }
}

static int16_t nb_away_wide(float x, float scale, int32_t zero)
{
    const float scaled = x / scale;
    const float size = scaled < 0.0f ? -scaled : scaled;
    const float near = size > 131072.0f ? 131072.0f : size;
    int32_t whole = near == near ? (int32_t)near : 0;
    whole += near - (float)whole >= 0.5f ? 1 : 0;
    return nb_code_wide(scaled < 0.0f ? -whole : whole, zero, INT16_MIN, INT16_MAX);
}

void nb_quantize_away_i16(const nb_quantize_away_config *config, const float *x,
                          const float *scale, const int16_t *zero, int16_t *y)
{
    const ptrdiff_t channels = config->channels;
    for (int32_t sample = 0; sample < config->batch; ++sample) {
        for (ptrdiff_t channel = 0; channel < channels; ++channel) {
            for (int32_t pixel = 0; pixel < config->pixels; ++pixel) {
                *y++ = nb_away_wide(x[pixel * channels + channel], scale[0], zero[0]);
            }
        }
        x += config->pixels * channels;
    }
}
