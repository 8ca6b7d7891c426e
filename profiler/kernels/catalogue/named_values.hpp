#pragma once

#include <map>
#include <string>

namespace tilescope {

using NamedValues = std::map<std::string, double>;

/// The value of an expression over these names alone, in the syntax of declarations (Scope::evaluate). Throws
/// ExpressionError, with the nearest names for one that is unknown.
double evaluate_expression(const std::string& expression, const NamedValues& names);

}  // namespace tilescope
