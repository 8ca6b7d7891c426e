#include "kernels/reference/attention.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "kernels/device/random_input.cuh"
#include "kernels/reference/row_math.hpp"

namespace tilescope::reference {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

std::vector<std::uint16_t> random_tensor(std::int64_t count, Format format, std::uint64_t seed,
                                         InputTensor tensor) {
  std::vector<std::uint16_t> values(at(count));
  const auto fill = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      values[i] = from_float(random_input(seed, static_cast<unsigned>(tensor), i), format);
    }
  };
  // Every element has its own random number, so that any part can be generated alone.
  constexpr std::size_t worth_a_thread = std::size_t{1} << 16;
  const std::size_t most = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  const std::size_t parts = std::clamp<std::size_t>(values.size() / worth_a_thread, 1, most);
  std::vector<std::jthread> threads;
  for (std::size_t part = 1; part < parts; ++part) {
    threads.emplace_back(fill, values.size() * part / parts, values.size() * (part + 1) / parts);
  }
  fill(0, values.size() / parts);
  threads.clear();  // waits for them
  return values;
}

// K transposed and V of one head, in one precision: [D, Sk] and [Sk, D].
template <class T>
struct HeadTensors {
  std::vector<T> k_transposed, v;

  HeadTensors(const AttentionSizes& sizes, const AttentionInputs& inputs, std::int64_t head)
      : k_transposed(at(sizes.Sk * sizes.D)), v(at(sizes.Sk * sizes.D)) {
    const std::size_t start = at(head * sizes.Sk * sizes.D);
    const std::size_t keys = at(sizes.Sk), columns = at(sizes.D);
    for (std::size_t j = 0; j < keys; ++j) {
      for (std::size_t d = 0; d < columns; ++d) {
        const std::size_t element = j * columns + d;
        k_transposed[d * keys + j] = static_cast<T>(to_float(inputs.k[start + element], sizes.format));
        v[element] = static_cast<T>(to_float(inputs.v[start + element], sizes.format));
      }
    }
  }
};

// The scaled scores of one query with the first `keys` keys. `round` is applied to products and scores: the identity in
// float64.
template <class T, class Round>
void score(const AttentionSizes& sizes, const std::uint16_t* q, const HeadTensors<T>& head, std::size_t keys,
           T* scores, Round round) {
  const T scale = T{1} / std::sqrt(static_cast<T>(sizes.D));
  std::fill(scores, scores + keys, T{0});
  for (std::int64_t d = 0; d < sizes.D; ++d) {
    const T q_value = static_cast<T>(to_float(q[d], sizes.format));
    add_scaled(q_value, head.k_transposed.data() + d * sizes.Sk, scores, keys);
  }
  for (std::size_t j = 0; j < keys; ++j) scores[j] = round(round(scores[j]) * scale);
}

// One row of attention. `round` is applied to the scores and the weights: the identity in float64.
// Returns the log-sum-exp.
template <class T, class Round>
T attend(const AttentionSizes& sizes, const std::uint16_t* q, const HeadTensors<T>& head,
         std::int64_t visible, std::vector<T>& scores, T* output, Round round) {
  const auto keys = at(visible);
  std::fill(output, output + sizes.D, T{0});
  if (visible == 0) return -std::numeric_limits<T>::infinity();
  score(sizes, q, head, keys, scores.data(), round);
  const T largest = *std::max_element(scores.begin(), scores.begin() + visible);
  T sum = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    scores[j] = std::exp(scores[j] - largest);
    sum += scores[j];
  }
  for (std::size_t j = 0; j < keys; ++j) {
    add_scaled(round(scores[j] / sum), head.v.data() + j * at(sizes.D), output, at(sizes.D));
  }
  return largest + std::log(sum);
}

// The rows of one (batch, query head) and what they gave.
class HeadTask {
 public:
  HeadTask(const AttentionSizes& sizes, const AttentionInputs& inputs, AttentionReference& reference)
      : sizes_(sizes), inputs_(inputs), reference_(reference) {}

  // Computes reference rows [first, last), all of one head. Returns the plain implementation's largest error.
  double run(std::size_t first, std::size_t last) const {
    const std::int64_t head = reference_.rows[first] / sizes_.Sq;
    const std::int64_t key_head = head / sizes_.Hq * sizes_.Hkv + head % sizes_.Hq / (sizes_.Hq / sizes_.Hkv);
    const HeadTensors<double> exact(sizes_, inputs_, key_head);
    const HeadTensors<float> plain(sizes_, inputs_, key_head);
    const auto identity = [](double x) { return x; };
    const auto round = [this](float x) { return to_float(from_float(x, sizes_.format), sizes_.format); };
    const std::size_t columns = at(sizes_.result_columns());
    std::vector<double> scores(at(sizes_.Sk));
    std::vector<float> plain_scores(at(sizes_.Sk)), plain_output(columns);
    double worst = 0;
    for (std::size_t r = first; r < last; ++r) {
      const std::int64_t row = reference_.rows[r];
      const std::uint16_t* q = inputs_.q.data() + row * sizes_.D;
      double* output = reference_.output.data() + r * columns;
      if (sizes_.result == Result::scores) {
        score(sizes_, q, exact, columns, output, identity);
        score(sizes_, q, plain, columns, plain_output.data(), round);
      } else {
        const std::int64_t visible = visible_keys(row % sizes_.Sq);
        reference_.lse[r] = attend(sizes_, q, exact, visible, scores, output, identity);
        attend(sizes_, q, plain, visible, plain_scores, plain_output.data(), round);
      }
      for (std::size_t column = 0; column < columns; ++column) {
        worst = std::max(worst, std::abs(static_cast<double>(round(plain_output[column])) - output[column]));
      }
    }
    return worst;
  }

 private:
  std::int64_t visible_keys(std::int64_t query) const {
    if (!sizes_.causal) return sizes_.Sk;
    return std::clamp<std::int64_t>(query + sizes_.Sk - sizes_.Sq + 1, 0, sizes_.Sk);
  }

  const AttentionSizes& sizes_;
  const AttentionInputs& inputs_;
  AttentionReference& reference_;
};

// The places in `rows` where another head begins, and the end.
std::vector<std::size_t> head_starts(const std::vector<std::int64_t>& rows, std::int64_t rows_per_head) {
  std::vector<std::size_t> starts;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r == 0 || rows[r] / rows_per_head != rows[r - 1] / rows_per_head) starts.push_back(r);
  }
  starts.push_back(rows.size());
  return starts;
}

}  // namespace

AttentionInputs make_inputs(const AttentionSizes& sizes, std::uint64_t seed) {
  return {random_tensor(sizes.query_elements(), sizes.format, seed, InputTensor::q),
          random_tensor(sizes.key_elements(), sizes.format, seed, InputTensor::k),
          random_tensor(sizes.key_elements(), sizes.format, seed, InputTensor::v)};
}

std::vector<std::int64_t> spread_rows(std::int64_t total, std::int64_t count) {
  count = std::min(total, std::max<std::int64_t>(count, 1));
  std::vector<std::int64_t> rows(at(count));
  for (std::int64_t i = 0; i < count; ++i)
    rows[at(i)] = count == 1 ? total - 1 : i * (total - 1) / (count - 1);
  return rows;
}

AttentionReference compute_attention(const AttentionSizes& sizes, const AttentionInputs& inputs,
                                     std::int64_t most_rows, const std::function<bool()>& cancelled) {
  return compute_attention_rows(sizes, inputs, spread_rows(sizes.rows(), most_rows), cancelled);
}

AttentionReference compute_attention_rows(const AttentionSizes& sizes, const AttentionInputs& inputs,
                                          std::vector<std::int64_t> rows,
                                          const std::function<bool()>& cancelled) {
  AttentionReference reference;
  if (rows.empty()) return reference;
  reference.rows = std::move(rows);
  reference.output.resize(reference.rows.size() * at(sizes.result_columns()));
  if (sizes.result == Result::attention) reference.lse.resize(reference.rows.size());
  const std::vector<std::size_t> starts = head_starts(reference.rows, sizes.Sq);
  const std::size_t heads = starts.size() - 1;
  std::vector<double> plain_errors(heads);

  const HeadTask task(sizes, inputs, reference);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  const auto work = [&] {
    for (std::size_t head; !stop && (head = next++) < heads;) {
      plain_errors[head] = task.run(starts[head], starts[head + 1]);
      if (cancelled && cancelled()) stop = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
    work();
  }
  if (stop) return {};
  reference.plain_max_error = *std::max_element(plain_errors.begin(), plain_errors.end());
  for (const double value : reference.output) {
    reference.max_abs_output = std::max(reference.max_abs_output, std::abs(value));
  }
  return reference;
}

double tolerance(const AttentionReference& reference, Format format) {
  const double plain = std::isfinite(reference.plain_max_error) ? reference.plain_max_error : 0;
  return 2 * plain + rounding_unit(format) * reference.max_abs_output;
}

Comparison judge_difference(const AttentionReference& reference, const AttentionSizes& sizes, double max_abs,
                            std::int64_t element) {
  Comparison result;
  result.tolerance = tolerance(reference, sizes.format);
  result.max_abs = max_abs;
  const std::int64_t row = element / sizes.result_columns();
  result.worst_row = reference.rows.empty() ? row : reference.rows[at(row)];
  result.worst_column = element % sizes.result_columns();
  result.max_rel = max_abs / std::max(reference.max_abs_output, std::numeric_limits<double>::min());
  result.within = max_abs <= result.tolerance;
  return result;
}

Comparison compare(const AttentionReference& reference, const AttentionSizes& sizes,
                   const std::vector<std::uint16_t>& output, const std::vector<bool>* written) {
  const std::int64_t columns = sizes.result_columns();
  double max_abs = 0;
  std::int64_t worst = 0;
  for (std::size_t r = 0; r < reference.rows.size(); ++r) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto element = static_cast<std::int64_t>(r) * columns + column;
      const std::size_t in_output = at(reference.rows[r] * columns + column);
      if (written != nullptr && !(*written)[in_output]) continue;
      const double difference =
          std::abs(to_float(output[in_output], sizes.format) - reference.output[at(element)]);
      if (difference <= max_abs) continue;
      max_abs = difference;  // also when it is NaN: then it is the first, and nothing is worse
      worst = element;
      if (std::isnan(difference)) return judge_difference(reference, sizes, max_abs, worst);
    }
  }
  return judge_difference(reference, sizes, max_abs, worst);
}

}  // namespace tilescope::reference
