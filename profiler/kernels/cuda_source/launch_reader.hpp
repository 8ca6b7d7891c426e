#pragma once

#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// A launch with the nodes of its expressions; none for those that are left out.
struct LaunchNodes {
  SyntaxNode call;  ///< the whole
  SyntaxNode grid, block, shared, stream;
  std::vector<SyntaxNode> arguments, template_arguments;
  SyntaxNode template_place;  ///< where the template arguments stand, for the values of their names
};

LaunchNodes launch_nodes(const SourceIndex& index, const SyntaxNode& call);

/// Kernels of which a function of the file chooses the one that is launched: "auto kernel = pick(n)". Empty where the launch
/// names its kernel.
std::vector<std::string> chosen_kernels(const SourceIndex& index, const SyntaxNode& call);

SourceLaunch read_launch(const SourceIndex& index, const SyntaxNode& call);

}  // namespace tilescope
