#include "profiler/kernels/cuda_source/constant_reader.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "profiler/kernels/cuda_source/cpp_number.hpp"
#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/launch_reader.hpp"

namespace tilescope {
namespace {

bool is_number_itself(const SyntaxNode& value) {
  return CppNumber::from_literal(value.source()).has_value();
}

class ConstantReader {
 public:
  explicit ConstantReader(const SourceIndex& index) : index_(index), evaluator_(index) {
    evaluator_.set_max_steps(max_steps);
  }

  std::vector<SourceConstant> read(const std::vector<SourceKernel>& kernels) {
    for (const SourceMacro& macro : index_.macros())
      if (!macro.has_parameters && !macro.body.empty())
        add({macro.name, macro.body, macro.line, SourceConstant::define, {macro.position}});
    for (const ValueEvent& event : index_.events()) add_declaration(event);
    for (const SyntaxNode& call : index_.launches()) add_template_arguments(call, kernels);
    std::stable_sort(constants_.begin(), constants_.end(),
                     [](const SourceConstant& a, const SourceConstant& b) { return a.line < b.line; });
    return std::move(constants_);
  }

 private:
  // Few constants take more than ten steps; a hostile file can have many that take any number.
  static constexpr int max_steps = 2'000, max_steps_of_all = 3'000'000;

  void add(SourceConstant constant) {
    const auto known = by_name_.find(constant.name);
    if (known != by_name_.end()) return add_place(constant, constants_[known->second]);
    if (steps_ > max_steps_of_all) return;
    const std::optional<double> number = evaluator_.number(constant.value, "").value;
    steps_ += evaluator_.steps();
    if (!number) {
      // A name that has no number in one place is not offered for another one.
      not_numbers_.insert(constant.name);
      return;
    }
    constant.number = *number;
    constant.has_one_value = !not_numbers_.contains(constant.name);
    by_name_[constant.name] = constants_.size();
    constants_.push_back(std::move(constant));
  }

  static void add_place(const SourceConstant& other, SourceConstant& constant) {
    if (other.value != constant.value) constant.has_one_value = false;
    constant.positions.push_back(other.positions.front());
  }

  void add_declaration(const ValueEvent& event) {
    if (event.kind != ValueEvent::declaration || !event.is_constant || event.is_array || !event.value ||
        !arithmetic_type(event.type))
      return;
    if (event.function >= 0 && !is_number_itself(event.value)) return;
    add({event.name,
         event.value.text(),
         event.node.line(),
         SourceConstant::constexpr_variable,
         {event.value.begin()}});
  }

  // kernel<16, 8><<<...>>>: by the names of the template's parameters.
  void add_template_arguments(const SyntaxNode& call, const std::vector<SourceKernel>& kernels) {
    const LaunchNodes nodes = launch_nodes(index_, call);
    if (nodes.template_arguments.empty()) return;
    const std::string name = read_launch(index_, call).kernel;
    const auto kernel = std::ranges::find(kernels, name, &SourceKernel::name);
    if (kernel == kernels.end()) return;
    const std::size_t count = std::min(nodes.template_arguments.size(), kernel->template_parameters.size());
    for (std::size_t i = 0; i < count; ++i) {
      const SyntaxNode& argument = nodes.template_arguments[i];
      if (is_number_itself(argument))
        add({kernel->template_parameters[i].name,
             argument.text(),
             argument.line(),
             SourceConstant::template_argument,
             {argument.begin()}});
    }
  }

  const SourceIndex& index_;
  Evaluator evaluator_;
  int steps_ = 0;
  std::vector<SourceConstant> constants_;
  std::map<std::string, std::size_t> by_name_;
  std::set<std::string> not_numbers_;
};

}  // namespace

std::vector<SourceConstant> read_constants(const SourceIndex& index,
                                           const std::vector<SourceKernel>& kernels) {
  return ConstantReader(index).read(kernels);
}

}  // namespace tilescope
