#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/host_names.hpp"
#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// Call that allocates the memory of a pointer, or writes to all of it.
struct Allocation {
  enum Kind {
    bytes,    ///< size in bytes: cudaMalloc
    pitch,    ///< width and height: cudaMallocPitch
    count,    ///< number of elements: resize of a vector
    alias,    ///< another pointer to the memory of a pointer: cudaHostGetDevicePointer
    unknown,  ///< memory of an unknown size: cudaGetSymbolAddress
    set,      ///< cudaMemset
    copy      ///< cudaMemcpy
  };
  Kind kind = bytes;
  HostName target;
  SyntaxNode call;
  std::vector<SyntaxNode> arguments;
  int function = -1;  ///< index of the definition in which it stands, -1 at file scope

  bool writes_contents() const { return kind == set || kind == copy; }
};

/// Allocations of a file by their targets.
class Allocations {
 public:
  explicit Allocations(const SourceIndex& index);
  /// In the order of the text; none for an unknown name.
  const std::vector<Allocation>& of(const std::string& base) const;
  /// Allocations of members with a name: a.ptr, and ptr in a function of its class.
  const std::vector<Allocation>& of_member(const std::string& name) const;

 private:
  std::map<std::string, std::vector<Allocation>> by_base_, by_member_;
};

}  // namespace tilescope
