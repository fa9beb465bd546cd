/* SPDX-License-Identifier: MIT-0 */
#include "nb_pool_last.h"

#include "nb_taps.h"
#include "nb_vec_float.h"

#define NB_TOGETHER 4 /* vectors of channels */

/* Which taps of the window of a pixel count, and where its first tap lies. */
typedef struct nb_window {
    nb_range height;
    nb_range width;
    ptrdiff_t start; /* of the element under the first tap, inside or not */
    float count;     /* taps that count for a mean, 1 at least */
} nb_window;

/* The larger one, NaN where one is. */
#define NB_MOST(A, B) NB_WHERE_SAME(B, B, NB_WHERE_LESS(A, B, B, A), B)
#define NB_ONE_MOST(A, B) nb_max((A), (B))
#define NB_SUM(A, B) ((A) + (B))
#define NB_ONE_SUM(A, B) ((A) + (B))
#define NB_AS_IT_IS(TOTAL, COUNT) (TOTAL)
#define NB_MEAN(TOTAL, COUNT) ((TOTAL) / (COUNT))

/* Defines the results of VECTORS * LANES channels of a pixel, in vectors of TYPE. */
#define NB_POOL_TILE(NAME, VECTORS, TYPE, LANES, KIND, START, TERM, FINISH)                      \
    static void NAME(const nb_pool_last_config *c, const nb_window *window, const float *x,      \
                     float *y)                                                                   \
    {                                                                                            \
        const ptrdiff_t pixel = (ptrdiff_t)c->dilations[1] * c->channels;                        \
        const ptrdiff_t line = (ptrdiff_t)c->dilations[0] * c->in_dims[1] * c->channels;         \
        TYPE total[VECTORS];                                                                     \
        NB_UNROLLED                                                                              \
        for (int32_t j = 0; j < (VECTORS); ++j) {                                                \
            total[j] = KIND##_ALL(START);                                                        \
        }                                                                                        \
        for (int32_t kh = window->height.first; kh < window->height.end; ++kh) {                 \
            const float *from = x + window->start + kh * line + window->width.first * pixel;     \
            for (int32_t kw = window->width.first; kw < window->width.end; ++kw) {               \
                NB_UNROLLED                                                                      \
                for (int32_t j = 0; j < (VECTORS); ++j) {                                        \
                    const TYPE v = KIND##_LOAD(from + j * (LANES));                              \
                    total[j] = KIND##TERM(total[j], v);                                          \
                }                                                                                \
                from += pixel;                                                                   \
            }                                                                                    \
        }                                                                                        \
        NB_UNROLLED                                                                              \
        for (int32_t j = 0; j < (VECTORS); ++j) {                                                \
            KIND##_STORE(y + j * (LANES), FINISH(total[j], KIND##_ALL(window->count)));          \
        }                                                                                        \
    }

typedef void (*nb_tile)(const nb_pool_last_config *c, const nb_window *window, const float *x,
                        float *y);

/* Tiles for many channels, some, and one. */
typedef struct nb_tiles {
    nb_tile many;
    nb_tile some;
    nb_tile one;
} nb_tiles;

#if NB_VL > 1
#define NB_POOL_TILES(NAME, ...)                                            \
    NB_POOL_TILE(NAME##_many, NB_TOGETHER, nb_vec, NB_VL, NB, __VA_ARGS__) \
    NB_POOL_TILE(NAME##_some, 1, nb_vec, NB_VL, NB, __VA_ARGS__)           \
    NB_POOL_TILE(NAME##_one, 1, float, 1, NB_ONE, __VA_ARGS__)
#else
#define NB_POOL_TILES(NAME, ...)                                       \
    NB_POOL_TILE(NAME##_many, NB_TOGETHER, float, 1, NB, __VA_ARGS__) \
    NB_POOL_TILE(NAME##_some, 1, float, 1, NB_ONE, __VA_ARGS__)       \
    static const nb_tile NAME##_one = NAME##_some;
#endif

NB_POOL_TILES(nb_most, -NB_INFINITY, _MOST, NB_AS_IT_IS)
NB_POOL_TILES(nb_mean, 0.0f, _SUM, NB_MEAN)

static nb_range nb_taps_between(const nb_pool_last_config *c, int32_t axis, int32_t place,
                                const int32_t *low, const int32_t *high)
{
    const int32_t start = place * c->strides[axis] - c->pads[axis];
    return nb_inside(start, c->dilations[axis], c->kernel[axis], low[axis], high[axis]);
}

static int32_t nb_counted(const nb_pool_last_config *c, int32_t axis, int32_t place)
{
    const nb_range range = nb_taps_between(c, axis, place, c->counted_low, c->counted_high);
    return range.end - range.first;
}

/* Computes all channels of a pixel; the last tile may compute some again, to the same bits. */
static void nb_pixel(const nb_pool_last_config *c, const nb_window *window, const nb_tiles *tiles,
                     const float *x, float *y)
{
    int32_t channel = 0;
    while (channel < c->channels) {
        const int32_t left = c->channels - channel;
        const int is_many = left >= NB_TOGETHER * NB_VL;
        const int is_some = c->channels >= NB_VL;
        const int32_t lanes = is_many ? NB_TOGETHER * NB_VL : (is_some ? NB_VL : 1);
        const int32_t first = left < lanes ? c->channels - lanes : channel;
        const nb_tile tile = is_many ? tiles->many : (is_some ? tiles->some : tiles->one);
        tile(c, window, x + first, y + first);
        if (NB_FLUSHES && nb_was_flushed()) {
            for (int32_t i = first; i < first + lanes; ++i) {
                tiles->one(c, window, x + i, y + i);
            }
            nb_forget();
        }
        channel = first + lanes;
    }
}

static void nb_pool_all(const nb_pool_last_config *c, const nb_tiles *tiles, const float *x,
                        float *y)
{
    const uint32_t before = nb_watch();
    for (int32_t sample = 0; sample < c->batch; ++sample) {
        for (int32_t row = 0; row < c->out_dims[0]; ++row) {
            const ptrdiff_t top = row * c->strides[0] - c->pads[0];
            const int32_t rows = nb_counted(c, 0, row);
            nb_window window;
            window.height = nb_taps_between(c, 0, row, c->low, c->high);
            for (int32_t column = 0; column < c->out_dims[1]; ++column) {
                const ptrdiff_t left = column * c->strides[1] - c->pads[1];
                window.width = nb_taps_between(c, 1, column, c->low, c->high);
                window.start = (top * c->in_dims[1] + left) * c->channels;
                window.count = (float)(rows * nb_counted(c, 1, column));
                window.count = window.count > 0.0f ? window.count : 1.0f;
                nb_pixel(c, &window, tiles, x, y);
                y += c->channels;
            }
        }
        x += (ptrdiff_t)c->channels * c->in_dims[0] * c->in_dims[1];
    }
    nb_unwatch(before);
}

void nb_max_pool_last_f32(const nb_pool_last_config *config, const float *x, float *y)
{
    const nb_tiles tiles = {nb_most_many, nb_most_some, nb_most_one};
    nb_pool_all(config, &tiles, x, y);
}

void nb_average_pool_last_f32(const nb_pool_last_config *config, const float *x, float *y)
{
    const nb_tiles tiles = {nb_mean_many, nb_mean_some, nb_mean_one};
    nb_pool_all(config, &tiles, x, y);
}
