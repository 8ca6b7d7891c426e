#include "profiler/measure/open/known_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "profiler/execution/memory/last_writers.hpp"
#include "profiler/measure/files/expected_formula.hpp"
#include "profiler/measure/files/value_comparison.hpp"

namespace tilescope {
namespace {

// An output with fewer values, or with the same in all elements, equals too many formulas.
constexpr std::uint64_t fewest_values = 8;
// Arrays with more elements, and products with more multiplications, are left out: they take seconds.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 22U;
constexpr double most_products = 1e9;

struct Operand {
  std::string name;
  std::uint64_t count = 0;
};

struct Matrix {
  std::uint64_t rows = 0, columns = 0;
};

class UsualFormulas {
 public:
  UsualFormulas(const GuessedLaunch& launch, std::size_t output) : launch_(launch), output_(operand(output)) {
    for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
      const auto& buffer = launch.buffers[i];
      if (buffer && buffer->touched.is_read_first && buffer->count <= most_elements)
        inputs_.push_back(operand(i));
      if (!buffer && launch.numbers[i] && launch.parameters[i].element) add_number(i);
    }
    for (const std::uint64_t size : {launch.grid.x, launch.grid.y, launch.block.x}) add_size(size);
  }

  std::vector<std::string> formulas() {
    for (const Operand& x : inputs_) add_of_one(x);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      for (std::size_t j = 0; j < inputs_.size(); ++j)
        if (i != j) add_of_two(inputs_[i], inputs_[j]);
    add_normalisations();
    add_attention();
    return std::move(formulas_);
  }

 private:
  Operand operand(std::size_t i) const {
    return {formula_name(launch_.parameters[i].name), launch_.buffers[i]->count};
  }

  void add_size(std::uint64_t size) {
    if (size > 1 && std::ranges::find(sizes_, size) == sizes_.end()) sizes_.push_back(size);
  }
  void add_number(std::size_t i) {
    const double value = *launch_.numbers[i];
    const bool is_floating = launch_.parameters[i].element->kind == Element::Kind::floating;
    if (is_floating) scalars_.push_back(formula_name(launch_.parameters[i].name));
    if (!is_floating && value > 1 && value < 1e9) add_size(static_cast<std::uint64_t>(value));
  }
  void add(std::string formula) {
    if (std::ranges::find(formulas_, formula) == formulas_.end()) formulas_.push_back(std::move(formula));
  }

  // Rows and columns of an array by the sizes that the launch has.
  std::vector<Matrix> matrices(std::uint64_t count) const {
    std::vector<Matrix> found;
    const auto add_matrix = [&](std::uint64_t rows) {
      const bool is_new = std::ranges::find(found, rows, &Matrix::rows) == found.end();
      if (rows > 0 && count % rows == 0 && is_new) found.push_back({rows, count / rows});
    };
    for (const std::uint64_t size : sizes_) {
      add_matrix(size);
      if (count % size == 0) add_matrix(count / size);
    }
    const auto root = static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(count))));
    if (root * root == count) add_matrix(root);
    add_matrix(1);
    return found;
  }

  static std::string shaped(const Operand& x, const Matrix& shape) {
    return fmt::format("{}[{}][{}]", x.name, shape.rows, shape.columns);
  }

  void add_of_one(const Operand& x) {
    if (x.count == output_.count) add_elementwise(x);
    for (const Matrix& shape : matrices(x.count)) {
      const std::string rows = shaped(x, shape);
      if (x.count == output_.count) add_of_rows(rows, shape);
      if (shape.rows == output_.count) add_reductions(rows, "");
      if (shape.columns == output_.count) add_reductions(rows, ", 0");
    }
    if (output_.count < 4096) add(fmt::format("histogram({}, {})", x.name, output_.count));
  }

  void add_elementwise(const Operand& x) {
    for (const char* form : {"{}", "-{}", "relu({})", "gelu({})", "gelu_tanh({})", "silu({})", "sigmoid({})",
                             "tanh({})", "exp({})", "sqrt({})", "abs({})", "{0} * {0}", "2 * {}", "{} + 1"})
      add(fmt::format(fmt::runtime(form), x.name));
    for (const std::string& scalar : scalars_) {
      add(fmt::format("{} * {}", scalar, x.name));
      add(fmt::format("{} + {}", x.name, scalar));
    }
    add(fmt::format("cumsum({})", x.name));
    add(fmt::format("exclusive_cumsum({})", x.name));
  }

  void add_of_rows(const std::string& x, const Matrix& shape) {
    if (shape.columns > 1) {
      for (const char* function : {"softmax", "log_softmax", "cumsum", "exclusive_cumsum"})
        add(fmt::format("{}({})", function, x));
    }
    if (shape.rows > 1 && shape.columns > 1) add(fmt::format("transpose({})", x));
  }

  void add_reductions(const std::string& x, const char* axis) {
    for (const char* function : {"sum", "amax", "amin", "mean", "argmax"})
      add(fmt::format("{}({}{})", function, x, axis));
  }

  void add_of_two(const Operand& x, const Operand& y) {
    if (x.count == output_.count && y.count == output_.count) add_pairs(x, y);
    if (x.count == output_.count && y.count < x.count && x.count % y.count == 0) {
      const Matrix rows{x.count / y.count, y.count};
      add(fmt::format("{} + {}", shaped(x, rows), y.name));
      add(fmt::format("relu({} + {})", shaped(x, rows), y.name));
      add(fmt::format("{} * {}", shaped(x, rows), y.name));
    }
    if (y.count >= 3 && y.count <= 129 && y.count < x.count) add_convolutions(x, y);
    add_products(x, y);
  }

  void add_pairs(const Operand& x, const Operand& y) {
    for (const char* form : {"{} + {}", "{} - {}", "{} * {}", "{} / {}", "relu({} + {})", "fmax({}, {})"})
      add(fmt::format(fmt::runtime(form), x.name, y.name));
    for (const std::string& scalar : scalars_) {
      add(fmt::format("{} * {} + {}", scalar, x.name, y.name));
      for (const std::string& other : scalars_)
        add(fmt::format("{} * {} + {} * {}", scalar, x.name, other, y.name));
    }
  }

  void add_convolutions(const Operand& x, const Operand& filter) {
    const std::uint64_t padding = (filter.count - 1) / 2;
    if (x.count == output_.count && filter.count % 2 == 1)
      add(fmt::format("conv1d({}, {}, 1, {})", x.name, filter.name, padding));
    if (x.count - filter.count + 1 == output_.count) add(fmt::format("conv1d({}, {})", x.name, filter.name));
    const auto side = static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(filter.count))));
    if (side * side != filter.count || side % 2 == 0 || x.count != output_.count) return;
    for (const Matrix& shape : matrices(x.count))
      add(fmt::format("conv2d({0}[1][1][{1}][{2}], {3}[1][1][{4}][{4}], 1, {5})", x.name, shape.rows,
                      shape.columns, filter.name, side, side / 2));
  }

  // a of M x K, b of K x N and c of M x N elements: M = sqrt(a c / b), and so on.
  void add_products(const Operand& a, const Operand& b) {
    const double of_a = static_cast<double>(a.count), of_b = static_cast<double>(b.count),
                 of_c = static_cast<double>(output_.count);
    const auto whole = [](double square) {
      return static_cast<std::uint64_t>(std::llround(std::sqrt(square)));
    };
    const std::uint64_t m = whole(of_a * of_c / of_b), n = whole(of_b * of_c / of_a),
                        k = whole(of_a * of_b / of_c);
    if (m * k != a.count || k * n != b.count || m * n != output_.count || k < 2) return;
    if (static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > most_products) return;
    const std::string left = shaped(a, {m, k}), right = shaped(b, {k, n});
    const std::string left_turned = fmt::format("transpose({})", shaped(a, {k, m}));
    const std::string right_turned = fmt::format("transpose({})", shaped(b, {n, k}));
    for (const auto& [x, y] :
         {std::pair(left, right), std::pair(left, right_turned), std::pair(left_turned, right)}) {
      add(fmt::format("matmul({}, {})", x, y));
      // BLAS: alpha * A * B + beta * C.
      const auto c = std::ranges::find(inputs_, output_.name, &Operand::name);
      if (scalars_.size() == 2 && c != inputs_.end())
        add(fmt::format("{} * matmul({}, {}) + {} * {}[{}][{}]", scalars_[0], x, y, scalars_[1], output_.name,
                        m, n));
      if (scalars_.size() == 1) add(fmt::format("{} * matmul({}, {})", scalars_[0], x, y));
    }
  }

  // Rows of an array of the output's size, with factors of a row's length and a small number under the root.
  void add_normalisations() {
    std::vector<std::string> small = scalars_;
    small.insert(small.end(), {"1e-5", "1e-6", "0"});
    for (const Operand& x : inputs_) {
      if (x.count != output_.count) continue;
      for (const Matrix& shape : matrices(x.count)) {
        if (shape.columns < 2) continue;
        for (const std::string& eps : small) {
          add(fmt::format("layernorm({}, {})", shaped(x, shape), eps));
          add(fmt::format("rmsnorm({}, {})", shaped(x, shape), eps));
          add_factors(shaped(x, shape), shape.columns, eps);
        }
      }
    }
  }

  void add_factors(const std::string& x, std::uint64_t columns, const std::string& eps) {
    for (const Operand& gamma : inputs_) {
      if (gamma.count != columns) continue;
      add(fmt::format("rmsnorm({}, {}, {})", x, gamma.name, eps));
      for (const Operand& beta : inputs_)
        if (beta.count == columns && beta.name != gamma.name)
          add(fmt::format("layernorm({}, {}, {}, {})", x, gamma.name, beta.name, eps));
    }
  }

  // q, k and v are the first three inputs of the output's size; heads, queries and depth are sizes of the launch.
  void add_attention() {
    std::vector<Operand> same;
    std::ranges::copy_if(inputs_, std::back_inserter(same),
                         [this](const Operand& input) { return input.count == output_.count; });
    if (same.size() < 3) return;
    std::vector<std::string> factors = {""};
    for (const std::string& scalar : scalars_) factors.push_back(", " + scalar);
    for (const Matrix& rows : matrices(output_.count)) {
      if (rows.columns < 8 || rows.columns > 256) continue;
      for (const Matrix& heads : matrices(rows.rows)) {
        const double products = static_cast<double>(output_.count) * static_cast<double>(heads.columns);
        if (heads.columns < 2 || products > most_products) continue;
        const std::string shape = fmt::format("[{}][{}][{}]", heads.rows, heads.columns, rows.columns);
        const std::string arrays =
            fmt::format("{1}{0}, {2}{0}, {3}{0}", shape, same[0].name, same[1].name, same[2].name);
        for (const std::string& factor : factors) add(fmt::format("attention({}{})", arrays, factor));
        for (const std::string& factor : factors)
          add(fmt::format("attention({}{}, true)", arrays,
                          factor.empty() ? fmt::format(", rsqrt({})", rows.columns) : factor));
      }
    }
  }

  const GuessedLaunch& launch_;
  const Operand output_;
  std::vector<Operand> inputs_;
  std::vector<std::string> scalars_;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::string> formulas_;
};

// Whether there are enough different values: constant ones equal too many formulas.
bool says_anything(const ExpectedValues& expected, const Element& element) {
  if (expected.count < fewest_values || expected.values.size() == element.bytes) return false;
  std::set<std::string_view> different;
  const std::string_view bytes(reinterpret_cast<const char*>(expected.values.data()), expected.values.size());
  for (std::size_t at = 0; at < bytes.size() && different.size() < 3; at += element.bytes)
    different.insert(bytes.substr(at, element.bytes));
  return different.size() == 3;
}

class Recognition {
 public:
  Recognition(FileLaunch& launch, const std::vector<bool>* written, const std::function<bool()>& is_over)
      : launch_(launch), names_(launch.file()), written_(written), is_over_(is_over) {}

  std::optional<std::string> formula_of(std::size_t buffer, const std::vector<std::string>& formulas) {
    for (const std::string& text : formulas) {
      if (is_over_()) break;
      if (equals(buffer, text)) return text;
    }
    return std::nullopt;
  }

 private:
  bool equals(std::size_t number, const std::string& text) {
    const LaunchBuffer& given = launch_.given()[number];
    try {
      const FormulaValues expected =
          values_of(std::make_shared<const Formula>(text), given, names_, is_over_);
      if (!says_anything(expected.values, given.element)) return false;
      const TypedContents contents{launch_.contents(launch_.buffers()[number]), given.element};
      return has_values(contents, expected.values, written_ == nullptr ? std::vector<bool>{} : *written_);
    } catch (const FormulaError&) {
      return false;  // it does not fit
    } catch (const FormulaCancelled&) {
      return false;
    }
  }

  FileLaunch& launch_;
  NamesOfLaunch names_;
  const std::vector<bool>* written_;
  const std::function<bool()>& is_over_;
};

// The elements that a sample of blocks wrote; none where blocks make values together, or where too little was written.
std::optional<std::vector<bool>> written_elements(FileLaunch& launch, const FileLaunch::Buffer& buffer,
                                                  const TraceOptions& options) {
  launch.restore();
  auto found = find_last_writers(launch.program(), launch.launch(), launch.memory(),
                                 {{buffer.address, buffer.bytes, buffer.element.bytes, {}}}, options);
  if (!found || found->front().has_atomics) return std::nullopt;
  std::vector<bool> written = std::move(found->front().is_written);
  if (static_cast<std::uint64_t>(std::ranges::count(written, true)) < fewest_values) return std::nullopt;
  return written;
}

// The only argument that has a whole number as its value, as formulas name it; "" where none or several have it.
std::string argument_with(const std::string& number, const GuessedLaunch& launch) {
  std::string found;
  if (number == "1") return found;  // a stride or a flag as well
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const KnownParameter& parameter = launch.parameters[i];
    const bool is_size = launch.numbers[i] && !launch.buffers[i] && parameter.element &&
                         parameter.element->kind != Element::Kind::floating;
    if (!is_size || fmt::format("{:.0f}", *launch.numbers[i]) != number) continue;
    if (!found.empty() || formula_name(parameter.name) != parameter.name) return "";
    found = parameter.name;
  }
  return found;
}

// The letters of a product's sizes in the order in which its formula has them: "mkkn" of matmul(A[M][K], B[K][N]), and
// behind them "mn" of a result that is added. "" for another formula.
std::string letters_of_product(const std::string& formula) {
  constexpr std::string_view product = "matmul(", turned = "transpose(";
  const std::size_t at = formula.find(product);
  if (at == std::string::npos) return "";
  const std::string_view left = std::string_view(formula).substr(at + product.size());
  const std::string_view right = left.substr(std::min(left.find(", "), left.size() - 2) + 2);
  return std::string(left.starts_with(turned) ? "km" : "mk") + (right.starts_with(turned) ? "nk" : "kn") +
         "mn";
}

// The argument that is named by the letter, where it has this value: sizes that are equal are told apart so.
std::string argument_named(char letter, const std::string& number, const GuessedLaunch& launch) {
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const std::string& name = launch.parameters[i].name;
    const bool is_it = name.size() == 1 && std::tolower(static_cast<unsigned char>(name[0])) == letter;
    if (is_it && launch.numbers[i] && fmt::format("{:.0f}", *launch.numbers[i]) == number) return name;
  }
  return "";
}

// "sum(x[rows][cols])" for "sum(x[256][500])", so that the formula holds for other values of the arguments, too.
std::string with_argument_names(const std::string& formula, const GuessedLaunch& launch) {
  std::string named;
  const std::string letters = letters_of_product(formula);
  std::size_t place = 0;
  for (std::size_t at = 0; at < formula.size();) {
    const std::size_t end = formula.find(']', at);
    if (formula[at] != '[' || end == std::string::npos) {
      named += formula[at++];
      continue;
    }
    const std::string size = formula.substr(at + 1, end - at - 1);
    std::string name = place < letters.size() ? argument_named(letters[place], size, launch) : "";
    if (name.empty()) name = argument_with(size, launch);
    ++place;
    named += "[" + (name.empty() ? size : name) + "]";
    at = end + 1;
  }
  return named;
}

}  // namespace

std::vector<std::string> usual_formulas(const GuessedLaunch& launch, std::size_t output) {
  return UsualFormulas(launch, output).formulas();
}

std::map<std::string, std::string> recognised_results(FileLaunch& launch, const TraceOptions& options,
                                                      const GuessedLaunch& guessed,
                                                      const std::function<bool()>& is_over) {
  std::map<std::string, std::string> recognised;
  for (std::size_t i = 0; i < guessed.buffers.size(); ++i) {
    const auto& output = guessed.buffers[i];
    const std::string& name = guessed.parameters[i].name;
    if (!output || !output->touched.is_written || output->before != 0 || output->count > most_elements)
      continue;
    const auto buffer = std::ranges::find(launch.buffers(), name, &FileLaunch::Buffer::name);
    if (buffer == launch.buffers().end() || is_over()) continue;
    std::optional<std::vector<bool>> written;
    if (!options.blocks.empty() && !(written = written_elements(launch, *buffer, options))) continue;
    Recognition recognition(launch, written ? &*written : nullptr, is_over);
    const auto number = static_cast<std::size_t>(buffer - launch.buffers().begin());
    if (auto formula = recognition.formula_of(number, usual_formulas(guessed, i)))
      recognised.emplace(name, with_argument_names(*formula, guessed));
  }
  return recognised;
}

}  // namespace tilescope
