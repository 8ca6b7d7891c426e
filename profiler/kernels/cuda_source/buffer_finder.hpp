#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/cuda_source/allocations.hpp"
#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/host_names.hpp"
#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// Finds the buffers that the arguments of a launch point into, by looking backwards for what gave each pointer its
/// value, as the Evaluator does for numbers. Its depth and its steps are bounded.
class BufferFinder {
 public:
  using Place = Evaluator::Place;

  BufferFinder(const SourceIndex& index, const Allocations& allocations, Evaluator& evaluator)
      : index_(index), allocations_(allocations), evaluator_(evaluator) {}

  /// `lead` begins the reason of the offset. None where the argument is not a pointer, or nothing is known of it.
  std::optional<EvaluatedBuffer> find(const SyntaxNode& argument, const Place& place,
                                      const std::string& lead);

 private:
  /// Elements between a pointer and the one it was made from.
  struct Step {
    SyntaxNode count;
    Place place;
    std::string element;  ///< type
    int sign = 1;
  };
  struct Pointer {
    SyntaxNode allocation;  ///< the call or the declaration
    int line = 0;           ///< from 1, of the allocation
    Place place;            ///< of the allocation
    SyntaxNode bytes;       ///< size of the buffer, or none: then it is the count of elements of a type
    std::string count, scalar;
    std::string name, fill;
    std::string element;  ///< type that the pointer points to, "" if not known
    std::vector<Step> steps;
    std::vector<std::pair<HostName, Place>> names;  ///< that the pointer has on its way to the launch
  };
  using Found = std::optional<Pointer>;

  // Expressions: buffer_finder.cpp.
  EvaluatedNumber bytes_of(const Pointer& pointer);
  EvaluatedNumber offset_of(const Pointer& pointer, const SyntaxNode& argument, const std::string& lead);
  std::string fill_of(const Pointer& pointer, const EvaluatedNumber& bytes);
  Found pointer(const SyntaxNode& node, const Place& place);
  Found sum(const SyntaxNode& node, const Place& place);
  Found address(const SyntaxNode& node, const Place& place);
  Found cast(const SyntaxNode& value, const SyntaxNode& type, const Place& place);
  Found moved(Found found, const SyntaxNode& count, const Place& place, int sign);

  // Calls that have a pointer, a vector or a tensor as their value: pointer_calls.cpp.
  Found call(const SyntaxNode& node, const Place& place);
  Found method(const SyntaxNode& node, const Place& place);
  Found returned(const SyntaxNode& node, const Place& place);

  // Vectors and tensors: containers.cpp.
  bool is_vector(const std::string& type, const Place& place);
  Found vector(const std::string& type, const SyntaxNode& value, const SyntaxNode& node, const Place& place);
  Found tensor(const std::string& maker, const SyntaxNode& node, const Place& place);
  std::string elements_of(const SyntaxNode& sizes, const Place& place);
  std::string scalar_of(const std::vector<SyntaxNode>& options, const Place& place);
  std::string fill_value(const SyntaxNode& value, const Place& place);

  // Names: buffer_names.cpp, buffer_writes.cpp.
  struct Write {
    SyntaxNode node;
    const Allocation* allocation = nullptr;
    const ValueEvent* event = nullptr;
    SyntaxNode argument;  ///< of a function that may write to it
  };
  struct Outcome {
    Found pointer;
    bool is_final = false;  ///< Earlier writes do not count.
  };
  Found named(const HostName& name, const Place& place);
  enum class Parameters { follow, stop };
  Found local(const HostName& name, const Place& place, Parameters parameters);
  bool is_local(const std::string& base, const Place& place) const;
  Found elsewhere(const HostName& name, const Place& place);
  Found by_member(const HostName& name, const Place& place);
  bool is_member_of(const Allocation& allocation, const HostName& name, const Place& place);
  std::string element_of(const HostName& name, const Place& place);
  /// The newest first.
  std::vector<Write> writes(const HostName& name, const Place& place);
  void add_event_writes(std::vector<Write>& all, const HostName& name, const Place& place);
  Outcome outcome(const Write& write, const HostName& name, const Place& place);
  Outcome event_outcome(const ValueEvent& event, const HostName& name, const Place& place);
  Found allocated(const Allocation& allocation, const Place& place);
  Found handed_in(const ValueEvent& event, const HostName& name, const Place& place);
  Found handed_out(const SyntaxNode& argument, const HostName& name, const Place& place);
  Found declared(const ValueEvent& event, const HostName& name, const Place& place);

  bool is_spent() const;
  void take_step();

  const SourceIndex& index_;
  const Allocations& allocations_;
  Evaluator& evaluator_;
  int spent_ = 0;  ///< steps for the arguments before
};

}  // namespace tilescope
