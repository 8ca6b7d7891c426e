#include "profiler/kernels/cuda_source/cuda_source.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "profiler/kernels/cuda_source/allocations.hpp"
#include "profiler/kernels/cuda_source/api_launches.hpp"
#include "profiler/kernels/cuda_source/buffer_finder.hpp"
#include "profiler/kernels/cuda_source/constant_reader.hpp"
#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/header_definitions.hpp"
#include "profiler/kernels/cuda_source/host_declarations.hpp"
#include "profiler/kernels/cuda_source/kernel_reader.hpp"
#include "profiler/kernels/cuda_source/launch_macros.hpp"
#include "profiler/kernels/cuda_source/launch_reader.hpp"
#include "profiler/kernels/cuda_source/shared_array_reader.hpp"
#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {
namespace {

SourceFunction lines_of(const std::string& name, const SyntaxNode& node) {
  const std::string_view text = node.source();
  return {name, node.line(), node.line() + static_cast<int>(std::count(text.begin(), text.end(), '\n'))};
}

// The function with the parameters of its templates.
SyntaxNode whole_declaration(SyntaxNode function) {
  while (function.parent().is("template_declaration")) function = function.parent();
  return function;
}

std::vector<SourceFunction> read_host_functions(const SourceIndex& index) {
  std::vector<SourceFunction> functions;
  for (const FunctionDefinition& function : index.functions()) {
    if (function.is_on_device || !index.is_own(function.node.line())) continue;
    functions.push_back(lines_of(function.name, whole_declaration(function.node)));
    functions.back().parameters = read_parameters(function.parameters);
  }
  for (const SyntaxNode& instance : index.instances())
    if (instance.source().find("__global__") == std::string_view::npos)
      functions.push_back(lines_of("", instance));
  return functions;
}

std::vector<SourceInclude> read_includes(const SourceIndex& index) {
  std::vector<SourceInclude> includes;
  for (const SyntaxNode& node : index.includes()) {
    const SyntaxNode path = node.child("path");
    const std::string_view name = path.source();
    if (name.size() > 2 && (name.front() == '"' || name.front() == '<'))
      includes.push_back({std::string(name.substr(1, name.size() - 2)), name.front() == '<', node.line()});
  }
  return includes;
}

}  // namespace

struct CudaSource::Implementation {
  Implementation(std::string text, const std::vector<SourceDefinition>& of_headers) {
    append(of_headers, text);
    read(std::move(text));
    // A macro may use another one.
    constexpr int max_rounds = 4;
    for (int round = 0; round < max_rounds; ++round) {
      std::string expanded = with_expanded_launch_macros(*tree, *index);
      if (expanded.empty()) break;
      read(std::move(expanded));
    }
    kernels = read_kernels(*index);
    read_launches();
    constants = read_constants(*index, kernels);
    std::erase_if(constants, [this](const SourceConstant& one) { return !index->is_own(one.line); });
    host_functions = read_host_functions(*index);
    host_declarations = read_host_declarations(*tree);
    std::erase_if(host_declarations,
                  [this](const SourceFunction& one) { return !index->is_own(one.first_line); });
    includes = read_includes(*index);
    definitions = read_definitions(*tree);
    std::erase_if(definitions, [this](const SourceDefinition& one) { return !index->is_own(one.line); });
    allocations = std::make_unique<Allocations>(*index);
  }

  /// A call of cudaLaunchKernel in a helper, whose kernel is a parameter, is not a launch of a kernel of the file.
  void read_launches() {
    std::set<std::string> names;
    for (const SourceKernel& kernel : kernels) names.insert(kernel.name);
    for (const SyntaxNode& call : index->launches()) {
      SourceLaunch launch = read_launch(*index, call);
      const std::vector<std::string> chosen = chosen_kernels(*index, call);
      for (const std::string& kernel : chosen) {
        launches.push_back(launch);
        launches.back().kernel = kernel;
      }
      if (chosen.empty() && (!is_api_launch(call) || names.contains(launch.kernel)))
        launches.push_back(std::move(launch));
    }
  }

  /// Behind the text, whose lines and bytes stay where they are: at file scope the order of definitions does not matter.
  void append(const std::vector<SourceDefinition>& of_headers, std::string& text) {
    if (!of_headers.empty() && !text.ends_with('\n')) text += '\n';
    int line = static_cast<int>(std::ranges::count(text, '\n')) + 1;
    for (const SourceDefinition& definition : of_headers) {
      borrowed.push_back({line, definition.header, definition.line});
      text += definition.text + '\n';
      line += static_cast<int>(std::ranges::count(definition.text, '\n')) + 1;
    }
  }

  /// None for a launch of another file.
  SyntaxNode call_of(const SourceLaunch& launch) const {
    const auto call = std::ranges::find(index->launches(), launch.position, &SyntaxNode::begin);
    return call == index->launches().end() ? SyntaxNode() : *call;
  }

  void read(std::string text) {
    index.reset();
    tree = std::make_unique<SyntaxTree>(std::move(text));
    index = std::make_unique<SourceIndex>(*tree, borrowed);
  }

  std::vector<BorrowedLines> borrowed;

  std::unique_ptr<SyntaxTree> tree;
  std::unique_ptr<SourceIndex> index;
  std::unique_ptr<const Allocations> allocations;
  std::vector<SourceKernel> kernels;
  std::vector<SourceLaunch> launches;
  std::vector<SourceConstant> constants;
  std::vector<SourceFunction> host_functions, host_declarations;
  std::vector<SourceInclude> includes;
  std::vector<SourceDefinition> definitions;
};

CudaSource::CudaSource(std::string text, const std::vector<SourceDefinition>& of_headers)
    : implementation_(std::make_unique<const Implementation>(std::move(text), of_headers)) {}
CudaSource::~CudaSource() = default;
CudaSource::CudaSource(CudaSource&&) noexcept = default;
CudaSource& CudaSource::operator=(CudaSource&&) noexcept = default;

const std::string& CudaSource::problem() const {
  return implementation_->tree->problem();
}
const std::vector<SourceKernel>& CudaSource::kernels() const {
  return implementation_->kernels;
}
const std::vector<SourceLaunch>& CudaSource::launches() const {
  return implementation_->launches;
}
const std::vector<SourceConstant>& CudaSource::constants() const {
  return implementation_->constants;
}
const std::vector<SourceFunction>& CudaSource::host_functions() const {
  return implementation_->host_functions;
}
const std::vector<SourceFunction>& CudaSource::host_declarations() const {
  return implementation_->host_declarations;
}
const std::vector<SourceInclude>& CudaSource::includes() const {
  return implementation_->includes;
}

const std::vector<SourceDefinition>& CudaSource::definitions() const {
  return implementation_->definitions;
}

EvaluatedLaunch CudaSource::evaluate(const SourceLaunch& launch, const std::map<std::string, double>& chosen,
                                     const KnownValue& known, int instance) const {
  const SourceIndex& index = *implementation_->index;
  Evaluator evaluator(index, chosen, known);
  evaluator.set_instance(instance);
  const SyntaxNode call = implementation_->call_of(launch);
  EvaluatedLaunch result;
  if (!call) return result;
  const LaunchNodes nodes = launch_nodes(index, call);
  const Evaluator::Place place = evaluator.place_of(call);
  evaluator.assume_reached(call, place);
  const std::string lead = "from the launch in line " + std::to_string(launch.line);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.grid[axis] = evaluator.component(nodes.grid, static_cast<int>(axis), place, lead);
    result.block[axis] = evaluator.component(nodes.block, static_cast<int>(axis), place, lead);
  }
  if (nodes.shared) {
    result.shared = evaluator.number(nodes.shared, place, lead);
  } else {
    result.shared = {0, lead + ", which gives no dynamic shared memory", {}};
  }
  for (const SyntaxNode& argument : nodes.arguments)
    result.arguments.push_back(evaluator.number(argument, place, lead));
  BufferFinder buffers(index, *implementation_->allocations, evaluator);
  for (const SyntaxNode& argument : nodes.arguments)
    result.buffers.push_back(buffers.find(argument, place, lead));
  const Evaluator::Place template_place{place.frame, nodes.template_place.begin()};
  for (const SyntaxNode& argument : nodes.template_arguments)
    result.template_arguments.push_back(evaluator.template_argument(argument, template_place));
  result.taken = evaluator.taken();
  result.has_instances = evaluator.has_instances();
  return result;
}

std::vector<SourceMember> CudaSource::members_of(const std::string& type) const {
  Evaluator evaluator(*implementation_->index);
  return evaluator.members_of(type);
}

std::vector<EvaluatedMember> CudaSource::evaluate_members(const SourceLaunch& launch, std::size_t argument,
                                                          const std::vector<std::string>& members,
                                                          const std::map<std::string, double>& chosen,
                                                          const KnownValue& known) const {
  const SourceIndex& index = *implementation_->index;
  std::vector<EvaluatedMember> values(members.size());
  const SyntaxNode call = implementation_->call_of(launch);
  if (!call) return values;
  const LaunchNodes nodes = launch_nodes(index, call);
  if (argument >= nodes.arguments.size() || !nodes.arguments[argument].is("identifier")) return values;
  Evaluator evaluator(index, chosen, known);
  BufferFinder buffers(index, *implementation_->allocations, evaluator);
  const Evaluator::Place place = evaluator.place_of(call);
  const std::string lead = "from the launch in line " + std::to_string(launch.line);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const SyntaxNode node = evaluator.parsed(nodes.arguments[argument].text() + "." + members[i]);
    if (!node) continue;
    values[i].number = evaluator.number(node, place, lead);
    values[i].buffer = buffers.find(node, place, lead);
  }
  return values;
}

std::vector<SharedArrayDeclaration> CudaSource::shared_arrays(const TemplateValues& values) const {
  return read_shared_arrays(*implementation_->index, values);
}

std::vector<EvaluatedNumber> CudaSource::evaluate_at(const SourceLaunch& launch,
                                                     const std::vector<std::string>& expressions,
                                                     const std::map<std::string, double>& chosen,
                                                     const KnownValue& known) const {
  std::vector<EvaluatedNumber> values(expressions.size());
  const SyntaxNode call = implementation_->call_of(launch);
  if (!call) return values;
  Evaluator evaluator(*implementation_->index, chosen, known);
  const Evaluator::Place place = evaluator.place_of(call);
  for (std::size_t i = 0; i < expressions.size(); ++i)
    if (const SyntaxNode node = evaluator.parsed(expressions[i]))
      values[i] = evaluator.number(node, place, "from the launch in line " + std::to_string(launch.line));
  return values;
}

std::string CudaSource::initializer_of(const SourceLaunch& launch, const std::string& variable) const {
  const SyntaxNode call = implementation_->call_of(launch);
  if (!call) return "";
  Evaluator evaluator(*implementation_->index);
  return evaluator.initializer(variable, evaluator.place_of(call)).text();
}

EvaluatedNumber CudaSource::evaluate_constant(const std::string& expression,
                                              const std::map<std::string, double>& chosen,
                                              const KnownValue& known) const {
  Evaluator evaluator(*implementation_->index, chosen, known);
  return evaluator.number(expression, "from the file");
}

}  // namespace tilescope
