#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiler/service/client/sweep.hpp"

namespace tilescope {

/// Names with the values that are typed for each, none for all that it has.
using TypedValues = std::vector<std::pair<std::string, std::vector<ParameterValue>>>;

/// Splits "NAME" and "NAME=V1,V2". Throws WrongUsage for a name or a value that is there twice, and for an empty value.
TypedValues split_vary_arguments(const std::vector<std::string>& arguments);

/// Reads "NAME" and "NAME=V1,V2". Throws WrongUsage for what the kernel does not declare, with the names that are near.
SweptParameters read_vary_arguments(const std::vector<std::string>& arguments,
                                    const KernelDeclaration& kernel);

}  // namespace tilescope
