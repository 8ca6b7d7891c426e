#include "profiler/kernels/catalogue/expression.hpp"

#include <muParser.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "profiler/kernels/catalogue/named_values.hpp"
#include "profiler/kernels/catalogue/nearest_names.hpp"

namespace tilescope {
namespace {

double remainder_of(double a, double b) {
  return std::fmod(a, b);
}
double ceil_div(double a, double b) {
  return std::ceil(a / b);
}
double floor_div(double a, double b) {
  return std::floor(a / b);
}
double bit_xor(double a, double b) {
  constexpr double end = 4503599627370496.0;  // 2^52, so that the result is exact
  const auto fits = [](double value) { return value >= 0 && value < end && value == std::floor(value); };
  if (!fits(a) || !fits(b)) return std::nan("");
  return static_cast<double>(static_cast<std::uint64_t>(a) ^ static_cast<std::uint64_t>(b));
}

void define_functions(mu::Parser& parser) {
  parser.DefineOprtChars("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-*^/?<>=#!$%&|~'_");
  parser.DefineOprt("%", remainder_of, mu::prMUL_DIV, mu::oaLEFT, true);
  parser.DefineFun("ceil_div", ceil_div);
  parser.DefineFun("floor_div", floor_div);
  parser.DefineFun("bit_xor", bit_xor);
}

// The number for a parameter's value: the value itself, or the position of its name in the declaration.
double number_for(const ParameterDeclaration& parameter, const ParameterValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  for (std::size_t i = 0; i < parameter.values.size(); ++i) {
    if (parameter.values[i] == value) return static_cast<double>(i);
  }
  throw ExpressionError(parameter.name + " has no value '" + to_string(value) + "'");
}

// muParser would read "BLOCK_M = 32" as an assignment, which is always true.
void refuse_assignment(const std::string& expression) {
  for (std::size_t at = expression.find('='); at != std::string::npos; at = expression.find('=', at + 1)) {
    const char before = at > 0 ? expression[at - 1] : ' ';
    const char behind = at + 1 < expression.size() ? expression[at + 1] : ' ';
    if (behind == '=' || std::string_view("<>=!").find(before) != std::string_view::npos) continue;
    throw ExpressionError("'" + expression + "': '=' is not a comparison; write '=='");
  }
}

using Values = std::map<std::string, double>;

// muParser's error for an expression, with the nearest names if one is unknown.
ExpressionError explained(const std::string& expression, const mu::Parser::exception_type& error,
                          const Values& names) {
  if (error.GetCode() != mu::ecUNASSIGNABLE_TOKEN) {
    return ExpressionError("'" + expression + "': " + error.GetMsg());
  }
  std::vector<std::string> known;
  for (const auto& [name, value] : names) known.push_back(name);
  const std::string& name = error.GetToken();
  return ExpressionError(
      suggest_names("'" + expression + "': there is no name '" + name + "' here", name, known));
}

}  // namespace

// muParser with the functions for declarations and a variable for each name. Not in the unnamed namespace:
// ExpressionCheck, which has a header, holds one.
class NamedValuesParser {
 public:
  explicit NamedValuesParser(const Values& names) : values_(names) {
    define_functions(parser_);
    for (auto& [name, value] : values_) parser_.DefineVar(name, &value);
  }
  NamedValuesParser(const NamedValuesParser&) = delete;
  NamedValuesParser& operator=(const NamedValuesParser&) = delete;

  void define(const std::string& name) {
    if (parser_.GetConst().count(name) + parser_.GetFunDef().count(name) > 0) {
      throw ExpressionError("'" + name + "' is a constant or a function of expressions: choose another name");
    }
    parser_.DefineVar(name, &values_[name]);
  }
  void parse(const std::string& expression) {
    refuse_assignment(expression);
    parser_.SetExpr(expression);
  }
  // Evaluates with values for the names for which it was made.
  double evaluate(const Values& values) {
    auto value = values.begin();
    for (auto& [name, place] : values_) place = (value++)->second;
    return parser_.Eval();
  }

 private:
  Values values_;
  mu::Parser parser_;
};

namespace {

// The value of each parameter by `value_of`, and the constants for values that are names.
template <class ValueOf>
void add_parameters(const KernelDeclaration& kernel, ValueOf value_of, Values& values) {
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    values[parameter.name] = number_for(parameter, value_of(parameter));
    for (const ParameterValue& declared : parameter.values) {
      if (std::holds_alternative<std::string>(declared)) {
        values[std::get<std::string>(declared)] = number_for(parameter, declared);
      }
    }
  }
}

// A sweep evaluates the same few expressions for thousands of configurations, and the window does so between two
// frames: without the cache, parsing is 97% of the work. There is one cache per thread, which is cleared when it is
// full. `names_key` belongs to the names.
NamedValuesParser& parsed(const std::string& expression, const Values& names, const std::string& names_key) {
  thread_local std::unordered_map<std::string, std::unique_ptr<NamedValuesParser>> cache;
  constexpr std::size_t most = 256;
  const std::string key = expression + names_key;
  if (cache.size() >= most && !cache.contains(key)) cache.clear();
  std::unique_ptr<NamedValuesParser>& entry = cache[key];
  if (!entry) {
    auto parser = std::make_unique<NamedValuesParser>(names);
    parser->parse(expression);
    entry = std::move(parser);
  }
  return *entry;
}

}  // namespace

const std::vector<std::string>& common_names() {
  static const std::vector<std::string> names = {"B",
                                                 "Hq",
                                                 "Hkv",
                                                 "Sq",
                                                 "Sk",
                                                 "D",
                                                 "CAUSAL",
                                                 "SM_COUNT",
                                                 "MAX_THREADS",
                                                 "MAX_SHARED_BYTES",
                                                 "SHARED_BYTES",
                                                 "BLOCK_GROUP",
                                                 "ELEMENT_BYTES"};
  return names;
}

const std::vector<std::string>& index_names() {
  static const std::vector<std::string> names = {"ROW", "COLUMN", "PITCH"};
  return names;
}

struct ExpressionCheck::Implementation {
  Values names;
  std::map<std::string, std::string> not_yet;  // why a name cannot be used before it is defined
  NamedValuesParser parser;

  Implementation(Values known, std::map<std::string, std::string> computed_later)
      : names(std::move(known)), not_yet(std::move(computed_later)), parser(names) {}
};

ExpressionCheck::ExpressionCheck(const KernelDeclaration& kernel) {
  std::map<std::string, std::string> not_yet = {
      {"BLOCK_GROUP", "it is computed after this expression, from /block_group"},
      {"SHARED_BYTES", "it is computed after this expression, from /dynamic_shared_bytes"}};
  for (const NamedExpression& let : kernel.lets) {
    not_yet.emplace(let.name, "an expression under /let uses the names above it");
  }
  Values names;
  add_parameters(
      kernel, [](const ParameterDeclaration& parameter) { return parameter.default_value; }, names);
  for (const std::string& name : common_names()) {
    if (!not_yet.contains(name)) names[name] = 1;
  }
  try {
    implementation_ = std::make_unique<Implementation>(std::move(names), std::move(not_yet));
  } catch (const mu::Parser::exception_type&) {  // muParser does not say which name
    throw ExpressionError(
        "a parameter or a value has a name that means a constant in expressions: _pi or _e");
  }
}

ExpressionCheck::~ExpressionCheck() = default;

std::string ExpressionCheck::why_wrong(const std::string& expression) const {
  try {
    implementation_->parser.parse(expression);
    implementation_->parser.evaluate(implementation_->names);
    return "";
  } catch (const ExpressionError& error) {
    return error.what();
  } catch (const mu::Parser::exception_type& error) {
    const auto later = implementation_->not_yet.find(error.GetToken());
    if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN && later != implementation_->not_yet.end()) {
      return "'" + expression + "': '" + later->first + "' is not known here yet: " + later->second;
    }
    return explained(expression, error, implementation_->names).what();
  }
}

void ExpressionCheck::define(const std::string& name) {
  implementation_->parser.define(name);
  implementation_->names[name] = 1;
  implementation_->not_yet.erase(name);
}

Scope::Scope(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape,
             const DeviceModel& device) {
  const auto chosen = [&](const ParameterDeclaration& parameter) -> const ParameterValue& {
    const auto found = complete.find(parameter.name);
    return found == complete.end() ? parameter.default_value : found->second;
  };
  add_parameters(kernel, chosen, values_);
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
  for (const auto& [name, value] : values_) names_key_ += '\n' + name;
  for (const NamedExpression& let : kernel.lets) define(let.name, evaluate(let.expression));
  define("BLOCK_GROUP", kernel.block_group.empty() ? 1 : evaluate(kernel.block_group));
  define("SHARED_BYTES", kernel.is_launched_by_library() ? 0 : evaluate(kernel.dynamic_shared_bytes));
}

void Scope::define(const std::string& name, double value) {
  values_[name] = value;
  names_key_ += '\n' + name;
}

double Scope::evaluate(const std::string& expression) const {
  try {
    return parsed(expression, values_, names_key_).evaluate(values_);
  } catch (const mu::Parser::exception_type& error) {
    throw explained(expression, error, values_);
  }
}

std::vector<double> Scope::evaluate_index(const std::string& expression, std::int64_t rows,
                                          std::int64_t columns, std::int64_t pitch) const {
  // A part that is the same for all elements is a constant here: the parser computes with it once.
  mu::Parser parser;
  define_functions(parser);
  double row = 0, column = 0;
  parser.DefineVar("ROW", &row);
  parser.DefineVar("COLUMN", &column);
  Values constants = values_;
  constants["PITCH"] = static_cast<double>(pitch);
  std::vector<double> table;
  table.reserve(static_cast<std::size_t>(rows * columns));
  try {
    for (const auto& [name, value] : constants) parser.DefineConst(name, value);
    refuse_assignment(expression);
    parser.SetExpr(expression);
    for (std::int64_t r = 0; r < rows; ++r) {
      row = static_cast<double>(r);
      for (std::int64_t c = 0; c < columns; ++c) {
        column = static_cast<double>(c);
        table.push_back(parser.Eval());
      }
    }
  } catch (const mu::Parser::exception_type& error) {
    constants["ROW"] = constants["COLUMN"] = 0;
    throw explained(expression, error, constants);
  }
  return table;
}

double evaluate_expression(const std::string& expression, const NamedValues& names) {
  try {
    NamedValuesParser parser(names);
    parser.parse(expression);
    return parser.evaluate(names);
  } catch (const mu::Parser::exception_type& error) {
    throw explained(expression, error, names);
  }
}

std::int64_t Scope::evaluate_count(const std::string& expression) const {
  const double value = evaluate(expression);
  constexpr double largest_exact = 9007199254740992.0;  // 2^53
  if (!(value >= 0 && value <= largest_exact && value == std::floor(value))) {
    throw ExpressionError(
        "'" + expression + "' gives " + std::to_string(value) +
        (std::isfinite(value) ? ", not a whole number >= 0" : ": it divides by zero or overflows"));
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace tilescope
