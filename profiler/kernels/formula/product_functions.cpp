#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "profiler/kernels/formula/formula_function.hpp"

// Products of matrices, convolutions and attention.
namespace tilescope {
namespace {

// A[M][K] times B[K][N]; scales are sums of |a| |b|.
struct Matrices {
  const double *a, *a_scale, *b, *b_scale;
  double *c, *c_scale;
  std::uint64_t m, n, k;
};

void add_scaled(double factor, const double* row, double* sum, std::uint64_t count) {
  for (std::uint64_t j = 0; j < count; ++j) sum[j] += factor * row[j];
}

// Some rows of C at a time, so that each row of B serves all of them while it is in the cache.
void multiply(const Matrices& of, const FormulaArguments& arguments) {
  constexpr std::uint64_t rows_at_once = 16;
  for (std::uint64_t first = 0; first < of.m; first += rows_at_once) {
    const std::uint64_t end = std::min(of.m, first + rows_at_once);
    for (std::uint64_t k = 0; k < of.k; ++k) {
      arguments.spend((end - first) * of.n);
      for (std::uint64_t i = first; i < end; ++i) {
        add_scaled(of.a[i * of.k + k], of.b + k * of.n, of.c + i * of.n, of.n);
        add_scaled(of.a_scale[i * of.k + k], of.b_scale + k * of.n, of.c_scale + i * of.n, of.n);
      }
    }
  }
}

std::vector<double> scales_of(const NumberArray& array) {
  std::vector<double> scales(array.size());
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = array.scale(i);
  return scales;
}

ArrayShape batch_of(const ArrayShape& shape) {
  return {shape.begin(), shape.end() - 2};
}

ArrayShape joined(ArrayShape batch, std::uint64_t rows, std::uint64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

NumberArray product(const FormulaArguments& arguments, const SharedArray& left, const SharedArray& right) {
  const ArrayShape &a = left->shape, &b = right->shape;
  const std::uint64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  if (b[b.size() - 2] != k)
    arguments.fail(fmt::format("{} times {}: the {} columns of the first must be the rows of the second",
                               shape_words(a), shape_words(b), k));
  const ArrayShape batch = broadcast_shape(batch_of(a), batch_of(b));
  const SharedArray x = broadcast(left, joined(batch, m, k)), y = broadcast(right, joined(batch, k, n));
  const std::vector<double> x_scales = scales_of(*x), y_scales = scales_of(*y);
  NumberArray result = zeros(joined(batch, m, n));
  const std::uint64_t matrices = elements_of(batch);
  for (std::uint64_t i = 0; i < matrices; ++i) {
    multiply({x->values.data() + i * m * k, x_scales.data() + i * m * k, y->values.data() + i * k * n,
              y_scales.data() + i * k * n, result.values.data() + i * m * n, result.scales.data() + i * m * n,
              m, n, k},
             arguments);
  }
  return result;
}

// A vector is a row on the left and a column on the right, as in NumPy.
NumberArray matmul(const FormulaArguments& arguments) {
  const bool is_row = arguments[0].shape.size() == 1, is_column = arguments[1].shape.size() == 1;
  SharedArray left = arguments.shared(0), right = arguments.shared(1);
  if (is_row)
    left = std::make_shared<const NumberArray>(NumberArray{{1, left->size()}, left->values, left->scales});
  if (is_column)
    right =
        std::make_shared<const NumberArray>(NumberArray{{right->size(), 1}, right->values, right->scales});
  if (left->shape.size() < 2) arguments.require_axes(0, 2);
  if (right->shape.size() < 2) arguments.require_axes(1, 2);
  NumberArray result = product(arguments, left, right);
  if (is_column) result.shape.pop_back();
  if (is_row) result.shape.erase(result.shape.end() - (is_column ? 1 : 2));
  return result;
}

std::uint64_t positive(const FormulaArguments& arguments, std::size_t i, std::int64_t least,
                       std::int64_t otherwise) {
  const std::int64_t value = i < arguments.count() ? arguments.whole(i) : otherwise;
  if (value < least)
    arguments.fail(fmt::format("argument {} must be {} or more, and is {}", i + 1, least, value));
  return static_cast<std::uint64_t>(value);
}

struct Window {
  std::uint64_t stride, padding;
};

std::uint64_t windows(const FormulaArguments& arguments, std::uint64_t size, std::uint64_t width,
                      const Window& window) {
  if (width == 0 || size + 2 * window.padding < width)
    arguments.fail(fmt::format("a filter of {} does not fit in {} elements", width, size));
  return (size + 2 * window.padding - width) / window.stride + 1;
}

struct Image {
  const NumberArray& array;
  std::uint64_t channels, height, width;
};

// One element of the result: a filter at (row, column), which may lie outside of the image by the padding.
void convolve(const Image& image, const Image& filter, std::uint64_t n, std::uint64_t out, std::int64_t row,
              std::int64_t column, double& value, double& scale) {
  for (std::uint64_t c = 0; c < image.channels; ++c) {
    for (std::uint64_t y = 0; y < filter.height; ++y) {
      const std::int64_t at_row = row + static_cast<std::int64_t>(y);
      if (at_row < 0 || at_row >= static_cast<std::int64_t>(image.height)) continue;
      for (std::uint64_t x = 0; x < filter.width; ++x) {
        const std::int64_t at_column = column + static_cast<std::int64_t>(x);
        if (at_column < 0 || at_column >= static_cast<std::int64_t>(image.width)) continue;
        const std::size_t from =
            ((n * image.channels + c) * image.height + static_cast<std::uint64_t>(at_row)) * image.width +
            static_cast<std::uint64_t>(at_column);
        const std::size_t weight = ((out * filter.channels + c) * filter.height + y) * filter.width + x;
        value += image.array.values[from] * filter.array.values[weight];
        scale += image.array.scale(from) * filter.array.scale(weight);
      }
    }
  }
}

// x[N][C][H][W] with filters[K][C][R][S], not turned around, as in cuDNN and PyTorch.
NumberArray conv2d(const FormulaArguments& arguments) {
  arguments.require_axes(0, 4);
  arguments.require_axes(1, 4);
  const ArrayShape &x = arguments[0].shape, &w = arguments[1].shape;
  if (x[1] != w[1]) arguments.fail(fmt::format("the image has {} channels, and the filters {}", x[1], w[1]));
  const Window window{positive(arguments, 2, 1, 1), positive(arguments, 3, 0, 0)};
  const Image image{arguments[0], x[1], x[2], x[3]}, filter{arguments[1], w[1], w[2], w[3]};
  const std::uint64_t height = windows(arguments, x[2], w[2], window),
                      width = windows(arguments, x[3], w[3], window);
  NumberArray result = zeros({x[0], w[0], height, width});
  std::size_t to = 0;
  for (std::uint64_t n = 0; n < x[0]; ++n) {
    for (std::uint64_t out = 0; out < w[0]; ++out) {
      for (std::uint64_t i = 0; i < height; ++i) {
        arguments.spend(width * w[1] * w[2] * w[3] * 4);
        for (std::uint64_t j = 0; j < width; ++j, ++to)
          convolve(image, filter, n, out,
                   static_cast<std::int64_t>(i * window.stride) - static_cast<std::int64_t>(window.padding),
                   static_cast<std::int64_t>(j * window.stride) - static_cast<std::int64_t>(window.padding),
                   result.values[to], result.scales[to]);
      }
    }
  }
  return result;
}

NumberArray with_axes_before(const NumberArray& array, ArrayShape shape) {
  return {std::move(shape), array.values, array.scales};
}

// x[W] with a filter[S].
NumberArray conv1d(const FormulaArguments& arguments) {
  for (const std::size_t i : {0UL, 1UL})
    if (arguments[i].shape.size() != 1)
      arguments.fail("conv1d takes rows without further sizes; conv2d takes more");
  std::vector<SharedArray> images = {
      std::make_shared<const NumberArray>(with_axes_before(arguments[0], {1, 1, 1, arguments[0].size()})),
      std::make_shared<const NumberArray>(with_axes_before(arguments[1], {1, 1, 1, arguments[1].size()}))};
  // conv2d would add its padding to the single row, too.
  const Window window{positive(arguments, 2, 1, 1), positive(arguments, 3, 0, 0)};
  const Image image{*images[0], 1, 1, arguments[0].size()}, filter{*images[1], 1, 1, arguments[1].size()};
  NumberArray result = zeros({windows(arguments, image.width, filter.width, window)});
  arguments.spend(result.size() * filter.width * 4);
  for (std::size_t j = 0; j < result.size(); ++j)
    convolve(image, filter, 0, 0, 0,
             static_cast<std::int64_t>(j * window.stride) - static_cast<std::int64_t>(window.padding),
             result.values[j], result.scales[j]);
  return result;
}

struct Head {
  const NumberArray &q, &k, &v;
  std::uint64_t queries, keys, depth, value_depth;
};

// The causal mask is aligned at the last key, as in FlashAttention.
std::uint64_t seen_keys(const Head& head, std::uint64_t query) {
  const std::uint64_t end = query + 1 + head.keys;
  return end <= head.queries ? 0 : std::min(head.keys, end - head.queries);
}

// softmax(q k^T * scale) v of one head; a query that sees no key gets zeros.
void attend(const Head& head, std::uint64_t number, double factor, bool is_causal, NumberArray& result) {
  std::vector<double> scores(head.keys), magnitudes(head.keys);
  for (std::uint64_t i = 0; i < head.queries; ++i) {
    const double* const q = head.q.values.data() + (number * head.queries + i) * head.depth;
    const std::uint64_t seen = is_causal ? seen_keys(head, i) : head.keys;
    double most = 0, moved = 1;
    for (std::uint64_t j = 0; j < seen; ++j) {
      const double* const k = head.k.values.data() + (number * head.keys + j) * head.depth;
      double score = 0, magnitude = 0;
      for (std::uint64_t d = 0; d < head.depth; ++d) {
        score += q[d] * k[d];
        magnitude += std::fabs(q[d] * k[d]);
      }
      scores[j] = score * factor;
      most = j == 0 ? scores[j] : std::max(most, scores[j]);
      moved = std::max(moved, magnitude * std::fabs(factor));
    }
    double sum = 0;
    for (std::uint64_t j = 0; j < seen; ++j) sum += scores[j] = std::exp(scores[j] - most);
    for (std::uint64_t j = 0; j < seen; ++j) {
      const std::size_t from = (number * head.keys + j) * head.value_depth;
      const std::size_t to = (number * head.queries + i) * head.value_depth;
      for (std::uint64_t d = 0; d < head.value_depth; ++d) {
        result.values[to + d] += scores[j] / sum * head.v.values[from + d];
        result.scales[to + d] += scores[j] / sum * moved * head.v.scale(from + d);
      }
    }
  }
}

// q[..][S][D], k[..][T][D], v[..][T][E].
NumberArray attention(const FormulaArguments& arguments) {
  for (const std::size_t i : {0UL, 1UL, 2UL}) arguments.require_axes(i, 2);
  const ArrayShape &q = arguments[0].shape, &k = arguments[1].shape, &v = arguments[2].shape;
  if (batch_of(q) != batch_of(k) || batch_of(q) != batch_of(v) || q.back() != k.back() ||
      k[k.size() - 2] != v[v.size() - 2])
    arguments.fail(
        fmt::format("{}, {} and {} do not fit: [heads][queries][D], [heads][keys][D], [heads][keys][D]",
                    shape_words(q), shape_words(k), shape_words(v)));
  const double factor =
      arguments.count() > 3 ? arguments.number(3) : 1 / std::sqrt(static_cast<double>(q.back()));
  const bool is_causal = arguments.count() > 4 && arguments.number(4) != 0;
  const Head head{arguments[0],    arguments[1], arguments[2], q[q.size() - 2],
                  k[k.size() - 2], q.back(),     v.back()};
  NumberArray result = zeros(joined(batch_of(q), head.queries, head.value_depth));
  const std::uint64_t heads = elements_of(batch_of(q));
  for (std::uint64_t number = 0; number < heads; ++number) {
    arguments.spend(head.queries * head.keys * (head.depth + head.value_depth));
    attend(head, number, factor, is_causal, result);
  }
  return result;
}

constexpr std::array<FormulaFunction, 4> functions = {{
    {"matmul", "matmul(a, b)", 2, 2, matmul},
    {"conv1d", "conv1d(x, filter, stride, padding)", 2, 4, conv1d},
    {"conv2d", "conv2d(x, filters, stride, padding)", 2, 4, conv2d},
    {"attention", "attention(q, k, v, scale, causal)", 3, 5, attention},
}};

}  // namespace

std::span<const FormulaFunction> product_functions() {
  return functions;
}

}  // namespace tilescope
