#include "profiler/kernels/cuda_source/shared_array_reader.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"

namespace tilescope {
namespace {

/// The sizes of an array's declarator, the outermost first.
std::vector<SyntaxNode> sizes_of(SyntaxNode declarator) {
  std::vector<SyntaxNode> sizes;
  for (int steps = 0; steps < max_syntax_climb && declarator; ++steps) {
    if (declarator.is("array_declarator")) sizes.insert(sizes.begin(), declarator.child("size"));
    declarator = declarator.child("declarator");
  }
  return sizes;
}

bool is_shared(const SyntaxNode& declarator) {
  const SyntaxNode declaration = declarator.parent();
  if (!declaration.is("declaration")) return false;
  const std::string_view before = declaration.source().substr(0, declarator.begin() - declaration.begin());
  return before.find("__shared__") != std::string_view::npos;
}

/// "float" of "__shared__ float".
std::string element_type(std::string type) {
  constexpr std::string_view space = "__shared__";
  for (std::size_t at = type.find(space); at != std::string::npos; at = type.find(space)) {
    const std::size_t behind = type.find_first_not_of(' ', at + space.size());
    type.erase(at, (behind == std::string::npos ? type.size() : behind) - at);
  }
  return plain_type(type);
}

std::optional<std::int64_t> count_of(const EvaluatedNumber& number) {
  if (!number.value || *number.value < 1) return std::nullopt;
  return static_cast<std::int64_t>(*number.value);
}

class Reader {
 public:
  Reader(const SourceIndex& index, const TemplateValues& values)
      : index_(index),
        values_(values),
        elsewhere_([&values](const std::string& name, const std::string&) -> std::optional<double> {
          const auto found = values.elsewhere.find(name);
          return found == values.elsewhere.end() ? std::nullopt : std::optional(found->second);
        }),
        evaluator_(index, values.numbers, elsewhere_) {}

  std::vector<SharedArrayDeclaration> read() {
    std::vector<SharedArrayDeclaration> arrays;
    for (const ValueEvent& event : index_.events()) {
      if (event.kind != ValueEvent::declaration || !event.is_array || !is_shared(event.node)) continue;
      const std::vector<SyntaxNode> sizes = sizes_of(event.node);
      const bool has_sizes = !sizes.empty() && std::ranges::all_of(sizes, [](const SyntaxNode& size) {
        return static_cast<bool>(size);
      });
      if (has_sizes) arrays.push_back(array_of(event, sizes));
    }
    return arrays;
  }

 private:
  SharedArrayDeclaration array_of(const ValueEvent& event, const std::vector<SyntaxNode>& sizes) {
    SharedArrayDeclaration array;
    array.name = event.name;
    if (event.function >= 0)
      array.function = index_.functions()[static_cast<std::size_t>(event.function)].name;
    array.type = element_type(event.type);
    array.line = event.node.line();
    array.last_size_begin = sizes.back().begin();
    array.last_size_end = sizes.back().end();
    const Evaluator::Place place = evaluator_.place_of(event.node);
    for (const SyntaxNode& size : sizes) {
      array.sizes.push_back(size.text());
      array.counts.push_back(count_of(evaluator_.number(size, place, "")));
    }
    array.element_bytes = element_bytes(array.type, place);
    return array;
  }

  std::optional<std::int64_t> element_bytes(const std::string& type, const Evaluator::Place& place) {
    const auto argument = values_.types.find(type);
    const std::string& actual = argument == values_.types.end() ? type : argument->second;
    if (const auto known = size_of_type(actual)) return *known;
    const SyntaxNode size = evaluator_.parsed("sizeof(" + actual + ")");
    return size ? count_of(evaluator_.number(size, place, "")) : std::nullopt;
  }

  const SourceIndex& index_;
  const TemplateValues& values_;
  const KnownValue elsewhere_;
  Evaluator evaluator_;
};

}  // namespace

std::vector<SharedArrayDeclaration> read_shared_arrays(const SourceIndex& index,
                                                       const TemplateValues& values) {
  return Reader(index, values).read();
}

}  // namespace tilescope
