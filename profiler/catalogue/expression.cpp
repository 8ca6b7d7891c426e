#include "profiler/catalogue/expression.hpp"

#include <muParser.h>

#include <cmath>

namespace tilescope {
namespace {

double remainder_of(double a, double b) {
  return std::fmod(a, b);
}
double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

// The number that stands for a parameter's value: itself, or the place of its name in the declaration.
double number_for(const ParameterDeclaration& parameter, const ParameterValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  for (std::size_t i = 0; i < parameter.values.size(); ++i) {
    if (parameter.values[i] == value) return static_cast<double>(i);
  }
  throw ExpressionError(parameter.name + " has no value '" + to_string(value) + "'");
}

}  // namespace

Scope::Scope(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape,
             const DeviceModel& device) {
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    const auto chosen = complete.find(parameter.name);
    const ParameterValue& value = chosen == complete.end() ? parameter.default_value : chosen->second;
    values_[parameter.name] = number_for(parameter, value);
    for (const ParameterValue& declared : parameter.values) {
      if (std::holds_alternative<std::string>(declared)) {
        values_[std::get<std::string>(declared)] = number_for(parameter, declared);
      }
    }
  }
  values_["B"] = static_cast<double>(shape.B);
  values_["Hq"] = static_cast<double>(shape.Hq);
  values_["Hkv"] = static_cast<double>(shape.Hkv);
  values_["Sq"] = static_cast<double>(shape.Sq);
  values_["Sk"] = static_cast<double>(shape.Sk);
  values_["D"] = static_cast<double>(shape.D);
  values_["CAUSAL"] = shape.causal ? 1 : 0;
  values_["ELEMENT_BYTES"] = static_cast<double>(element_bytes(shape.dtype));
  values_["MAX_SHARED_BYTES"] = static_cast<double>(device.shared_bytes_per_block_optin);
  values_["MAX_THREADS"] = static_cast<double>(device.max_threads_per_block);
  values_["SM_COUNT"] = static_cast<double>(device.sm_count);
  values_["SHARED_BYTES"] = evaluate(kernel.dynamic_shared_bytes);
}

double Scope::evaluate(const std::string& expression) const {
  try {
    mu::Parser parser;
    parser.DefineOprtChars("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-*^/?<>=#!$%&|~'_");
    parser.DefineOprt("%", remainder_of, mu::prMUL_DIV, mu::oaLEFT, true);
    parser.DefineFun("ceil_div", ceil_div);
    for (const auto& [name, value] : values_) parser.DefineConst(name, value);
    parser.SetExpr(expression);
    return parser.Eval();
  } catch (const mu::Parser::exception_type& error) {
    throw ExpressionError("'" + expression + "': " + error.GetMsg());
  }
}

std::int64_t Scope::evaluate_count(const std::string& expression) const {
  const double value = evaluate(expression);
  constexpr double largest_exact = 9007199254740992.0;  // 2^53
  if (!(value >= 0 && value <= largest_exact && value == std::floor(value))) {
    throw ExpressionError("'" + expression + "' gives " + std::to_string(value) +
                          ", not a whole number >= 0");
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace tilescope
