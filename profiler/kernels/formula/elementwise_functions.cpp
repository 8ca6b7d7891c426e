#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

#include "profiler/kernels/formula/formula_function.hpp"

// Scales of results (NumberArray::scales): the scale of x times |f'(x)|, and at least |f(x)|.
namespace tilescope {
namespace {

struct Scaled {
  double value = 0, scale = 0;
};

template <Scaled (*function)(double x, double scale)>
NumberArray each(const FormulaArguments& arguments) {
  const NumberArray& x = arguments[0];
  NumberArray result = zeros(x.shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Scaled one = function(x.values[i], x.scale(i));
    result.values[i] = one.value;
    result.scales[i] = std::max(one.scale, std::fabs(one.value));
  }
  arguments.spend(x.size() * 8);
  return result;
}

// A function whose slope is at most 1, or about that.
template <double (*function)(double)>
Scaled gentle(double x, double scale) {
  return {function(x), scale};
}
// A function that rounds or has steps: exact.
template <double (*function)(double)>
Scaled exact(double x, double) {
  return {function(x), 0};
}

double relu(double x) {
  return x > 0 || std::isnan(x) ? x : 0;
}
double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double silu(double x) {
  return x * sigmoid(x);
}
double gelu(double x) {
  return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
}
double gelu_tanh(double x) {
  constexpr double cubic = 0.044715;  // of the approximation by Hendrycks and Gimpel, arXiv:1606.08415
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + cubic * x * x * x)));
}
double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

Scaled exponential(double x, double scale) {
  const double value = std::exp(x);
  return {value, value * scale};
}
Scaled logarithm(double x, double scale) {
  return {std::log(x), scale / std::fabs(x)};
}
Scaled square_root(double x, double scale) {
  const double value = std::sqrt(x);
  return {value, x > 0 ? value * scale / x : 0};
}
Scaled inverse_root(double x, double scale) {
  const double value = 1 / std::sqrt(x);
  return {value, value * scale / x};
}

// An operator with the scale of its result.
using Operator = Scaled (*)(double x, double scale_x, double y, double scale_y);

Scaled plus(double x, double scale_x, double y, double scale_y) {
  return {x + y, scale_x + scale_y};
}
Scaled minus(double x, double scale_x, double y, double scale_y) {
  return {x - y, scale_x + scale_y};
}
Scaled times(double x, double scale_x, double y, double scale_y) {
  return {x * y, scale_x * scale_y};
}
Scaled divided(double x, double scale_x, double y, double scale_y) {
  return {x / y, scale_x * scale_y / (y * y)};
}
Scaled remainder(double x, double scale_x, double y, double) {
  return {std::fmod(x, y), scale_x};
}
Scaled power(double x, double scale_x, double y, double) {
  const double value = std::pow(x, y);
  return {value, x == 0 ? 0 : std::fabs(value * y) * scale_x / std::fabs(x)};
}
Scaled larger(double x, double scale_x, double y, double scale_y) {
  return x >= y || std::isnan(y) ? Scaled{x, scale_x} : Scaled{y, scale_y};
}
Scaled smaller(double x, double scale_x, double y, double scale_y) {
  return x <= y || std::isnan(y) ? Scaled{x, scale_x} : Scaled{y, scale_y};
}
template <class Relation>
Scaled truth(double x, double, double y, double) {
  return {Relation{}(x, y) ? 1.0 : 0.0, 0};
}

// Bits of whole numbers in two's complement; NaN for others.
struct ShiftLeft {
  std::int64_t operator()(std::int64_t x, std::int64_t y) const {
    return y < 0 || y > 52 ? 0 : x * (std::int64_t{1} << y);
  }
};
struct ShiftRight {
  std::int64_t operator()(std::int64_t x, std::int64_t y) const {
    return x >> std::clamp<std::int64_t>(y, 0, 63);
  }
};
template <class Operation>
Scaled on_bits(double x, double, double y, double) {
  constexpr double most = 9e15;
  if (!(std::fabs(x) < most) || !(std::fabs(y) < most)) return {std::numeric_limits<double>::quiet_NaN(), 0};
  return {static_cast<double>(Operation{}(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y))), 0};
}

struct NamedOperator {
  std::string_view name;
  Operator value;
};

constexpr std::array<NamedOperator, 18> operators = {{
    {"+", plus},
    {"-", minus},
    {"*", times},
    {"/", divided},
    {"%", remainder},
    {"<", truth<std::less<>>},
    {"<=", truth<std::less_equal<>>},
    {">", truth<std::greater<>>},
    {">=", truth<std::greater_equal<>>},
    {"==", truth<std::equal_to<>>},
    {"!=", truth<std::not_equal_to<>>},
    {"&&", truth<std::logical_and<>>},
    {"||", truth<std::logical_or<>>},
    {"&", on_bits<std::bit_and<>>},
    {"|", on_bits<std::bit_or<>>},
    {"^", on_bits<std::bit_xor<>>},
    {"<<", on_bits<ShiftLeft>},
    {">>", on_bits<ShiftRight>},
}};

NumberArray combined_by(Operator operation, const SharedArray& left, const SharedArray& right,
                        FormulaWork& work) {
  const ArrayShape shape = broadcast_shape(left->shape, right->shape);
  NumberArray result = zeros(shape);
  work.spend(result.size() * 4);
  // One number needs no array of copies.
  const SharedArray x = left->size() == 1 ? left : broadcast(left, shape);
  const SharedArray y = right->size() == 1 ? right : broadcast(right, shape);
  const std::size_t step_x = x->size() == 1 ? 0 : 1, step_y = y->size() == 1 ? 0 : 1;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t at_x = i * step_x, at_y = i * step_y;
    const Scaled one = operation(x->values[at_x], x->scale(at_x), y->values[at_y], y->scale(at_y));
    result.values[i] = one.value;
    result.scales[i] = std::max(one.scale, std::fabs(one.value));
  }
  return result;
}

template <Operator operation>
NumberArray of_two(const FormulaArguments& arguments) {
  return combined_by(operation, arguments.shared(0), arguments.shared(1), arguments.work());
}

NumberArray where(const FormulaArguments& arguments) {
  return selected(arguments.shared(0), arguments.shared(1), arguments.shared(2), arguments.work());
}

NumberArray clamp(const FormulaArguments& arguments) {
  NumberArray above = combined_by(larger, arguments.shared(0), arguments.shared(1), arguments.work());
  return combined_by(smaller, std::make_shared<const NumberArray>(std::move(above)), arguments.shared(2),
                     arguments.work());
}

constexpr std::array<FormulaFunction, 32> functions = {{
    {"abs", "abs(x)", 1, 1, each<gentle<std::fabs>>},
    {"fabs", "fabs(x)", 1, 1, each<gentle<std::fabs>>},
    {"exp", "exp(x)", 1, 1, each<exponential>},
    {"log", "log(x)", 1, 1, each<logarithm>},
    {"sqrt", "sqrt(x)", 1, 1, each<square_root>},
    {"rsqrt", "rsqrt(x)", 1, 1, each<inverse_root>},
    {"sin", "sin(x)", 1, 1, each<gentle<std::sin>>},
    {"cos", "cos(x)", 1, 1, each<gentle<std::cos>>},
    {"tanh", "tanh(x)", 1, 1, each<gentle<std::tanh>>},
    {"erf", "erf(x)", 1, 1, each<gentle<std::erf>>},
    {"sigmoid", "sigmoid(x)", 1, 1, each<gentle<sigmoid>>},
    {"relu", "relu(x)", 1, 1, each<gentle<relu>>},
    {"silu", "silu(x)", 1, 1, each<gentle<silu>>},
    {"gelu", "gelu(x)", 1, 1, each<gentle<gelu>>},
    {"gelu_tanh", "gelu_tanh(x)", 1, 1, each<gentle<gelu_tanh>>},
    {"sign", "sign(x)", 1, 1, each<exact<sign>>},
    {"floor", "floor(x)", 1, 1, each<exact<std::floor>>},
    {"ceil", "ceil(x)", 1, 1, each<exact<std::ceil>>},
    {"round", "round(x)", 1, 1, each<exact<std::nearbyint>>},
    {"trunc", "trunc(x)", 1, 1, each<exact<std::trunc>>},
    {"pow", "pow(x, y)", 2, 2, of_two<power>},
    {"fmod", "fmod(x, y)", 2, 2, of_two<remainder>},
    {"fmax", "fmax(x, y)", 2, 2, of_two<larger>},
    {"fmin", "fmin(x, y)", 2, 2, of_two<smaller>},
    {"maximum", "maximum(x, y)", 2, 2, of_two<larger>},
    {"minimum", "minimum(x, y)", 2, 2, of_two<smaller>},
    {"expf", "expf(x)", 1, 1, each<exponential>},
    {"logf", "logf(x)", 1, 1, each<logarithm>},
    {"sqrtf", "sqrtf(x)", 1, 1, each<square_root>},
    {"tanhf", "tanhf(x)", 1, 1, each<gentle<std::tanh>>},
    {"where", "where(condition, x, y)", 3, 3, where},
    {"clamp", "clamp(x, low, high)", 3, 3, clamp},
}};

}  // namespace

NumberArray combined(std::string_view operation, const SharedArray& left, const SharedArray& right,
                     FormulaWork& work) {
  const auto* const found = std::ranges::find(operators, operation, &NamedOperator::name);
  if (found == operators.end())
    throw FormulaError(fmt::format("the operator {} is not one of formulas", operation));
  return combined_by(found->value, left, right, work);
}

NumberArray selected(const SharedArray& condition, const SharedArray& yes, const SharedArray& no,
                     FormulaWork& work) {
  const ArrayShape shape = broadcast_shape(condition->shape, broadcast_shape(yes->shape, no->shape));
  const SharedArray conditions = broadcast(condition, shape), x = broadcast(yes, shape),
                    y = broadcast(no, shape);
  NumberArray result = zeros(shape);
  work.spend(result.size() * 4);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const NumberArray& from = conditions->values[i] != 0 ? *x : *y;
    result.values[i] = from.values[i];
    result.scales[i] = from.scale(i);
  }
  return result;
}

std::span<const FormulaFunction> elementwise_functions() {
  return functions;
}

}  // namespace tilescope
