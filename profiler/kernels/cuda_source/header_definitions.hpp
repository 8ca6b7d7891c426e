#pragma once

#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/kernels/cuda_source/syntax_tree.hpp"

namespace tilescope {

/// Definitions of a file that the host code of another one may use, in the order of the file. Those that are long have no
/// text.
std::vector<SourceDefinition> read_definitions(const SyntaxTree& tree);

/// The definitions of a header with this name.
struct HeaderDefinitions {
  std::string header;
  std::vector<SourceDefinition> definitions;
};

/// The definitions that a file uses, directly or through others, and does not have itself (`own`). The first header that
/// has a name gives it.
std::vector<SourceDefinition> used_definitions(const std::string& text,
                                               const std::vector<SourceDefinition>& own,
                                               const std::vector<HeaderDefinitions>& headers);

}  // namespace tilescope
