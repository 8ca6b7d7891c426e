#include "profiler/kernels/cuda_source/buffer_finder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"

namespace tilescope {
namespace {

/// Steps for all arguments of a launch: few take more than a hundred.
constexpr int max_steps_of_launch = 50'000;

}  // namespace

bool BufferFinder::is_spent() const {
  return evaluator_.steps_ + spent_ > max_steps_of_launch;
}

void BufferFinder::take_step() {
  ++evaluator_.steps_;
}

std::optional<EvaluatedBuffer> BufferFinder::find(const SyntaxNode& argument, const Place& place,
                                                  const std::string& lead) {
  evaluator_.steps_ = 0;
  if (is_spent()) return std::nullopt;
  const Found found = pointer(argument, place);
  evaluator_.restore({0, 0});
  spent_ += evaluator_.steps_;
  if (!found) return std::nullopt;
  EvaluatedBuffer buffer;
  buffer.bytes = bytes_of(*found);
  buffer.offset_bytes = offset_of(*found, argument, lead);
  buffer.name = found->name;
  buffer.line = found->line;
  buffer.fill = fill_of(*found, buffer.bytes);
  evaluator_.restore({0, 0});
  return buffer;
}

EvaluatedNumber BufferFinder::bytes_of(const Pointer& pointer) {
  SyntaxNode bytes = pointer.bytes;
  const std::string scalar = pointer.scalar.empty() ? "scalar_t" : pointer.scalar;
  if (!bytes) bytes = evaluator_.expressions_.parse("sizeof(" + scalar + ") * " + pointer.count);
  evaluator_.steps_ = 0;
  Evaluator::Number value = evaluator_.root_value(bytes, pointer.place);
  // No program allocates 0 bytes for a launch: what gives the name its value is not seen.
  if (value && !(value->value() > 0)) {
    value.reset();
    evaluator_.unknown_.push_back(evaluator_.facts_.empty() ? bytes.text() : evaluator_.facts_[0].name);
  }
  return evaluator_.finished(bytes, value, "allocated in line " + std::to_string(pointer.line));
}

EvaluatedNumber BufferFinder::offset_of(const Pointer& pointer, const SyntaxNode& argument,
                                        const std::string& lead) {
  double sum = 0;
  bool is_known = true;
  for (const Step& step : pointer.steps) {
    evaluator_.steps_ = 0;
    const Evaluator::Number count = evaluator_.root_value(step.count, step.place);
    const std::string element = step.element.empty() ? "auto" : step.element;
    const Evaluator::Number size =
        element == "void" ? CppNumber::of_int(1) : evaluator_.bytes_of_type(element, step.place);
    if (!size) evaluator_.unknown_.push_back("sizeof(" + element + ")");
    is_known = is_known && count && size;
    if (is_known) sum += step.sign * count->value() * size->value();
  }
  is_known = is_known && std::abs(sum) < 9e15;
  const Evaluator::Number value =
      is_known ? Evaluator::Number(CppNumber::of_size(static_cast<std::int64_t>(sum))) : std::nullopt;
  return evaluator_.finished(argument, value, lead);
}

/// Contents that the last write to the whole buffer gives, in the innermost function that has one.
std::string BufferFinder::fill_of(const Pointer& pointer, const EvaluatedNumber& bytes) {
  for (const auto& [name, place] : pointer.names) {
    const auto& all = allocations_.of(name.base);
    for (auto one = all.rbegin(); one != all.rend() && !is_spent(); ++one) {
      take_step();
      if (one->function != place.frame->function || one->call.end() > place.position ||
          one->target.path != name.path || evaluator_.reach(one->call, place) != Evaluator::Reach::certain)
        continue;
      if (!one->writes_contents()) break;
      if (one->kind == Allocation::copy) return "";
      const Place there{place.frame, one->call.begin()};
      const auto value = evaluator_.root_value(one->arguments[1], there);
      const auto size = evaluator_.root_value(one->arguments[2], there);
      const bool is_whole = one->arguments[2].text() == pointer.bytes.text() ||
                            (size && bytes.value && size->value() >= *bytes.value);
      return value && !value->is_true() && is_whole && pointer.steps.empty() ? "zeros" : "";
    }
  }
  return pointer.fill;
}

BufferFinder::Found BufferFinder::pointer(const SyntaxNode& node, const Place& place) {
  const Evaluator::Level level(evaluator_);
  if (!node || !place.frame || level.is_too_deep() || is_spent()) return std::nullopt;
  const std::string_view type = node.type();
  if (type == "parenthesized_expression" && node.operands().size() == 1)
    return pointer(node.operands()[0], place);
  if (type == "cast_expression") return cast(node.child("value"), node.child("type"), place);
  if (type == "call_expression") return call(node, place);
  if (type == "binary_expression") return sum(node, place);
  if (type == "pointer_expression" && node.child("operator").source() == "&")
    return address(node.child("argument"), place);
  if (type == "conditional_expression") {
    const bool is_true = evaluator_.condition(node.child("condition"), place).value_or(false);
    const Found first = pointer(node.child(is_true ? "consequence" : "alternative"), place);
    return first ? first : pointer(node.child(is_true ? "alternative" : "consequence"), place);
  }
  if (const auto name = host_name_of(node)) return named(*name, place);
  return std::nullopt;
}

BufferFinder::Found BufferFinder::moved(Found found, const SyntaxNode& count, const Place& place, int sign) {
  const bool is_start = count.source() == "0" || !found;
  if (!is_start) found->steps.push_back({count, place, found->element, sign});
  return found;
}

BufferFinder::Found BufferFinder::sum(const SyntaxNode& node, const Place& place) {
  const std::string_view operation = node.child("operator").source();
  if (operation != "+" && operation != "-") return std::nullopt;
  const SyntaxNode left = node.child("left"), right = node.child("right");
  if (Found found = pointer(left, place))
    return moved(std::move(found), right, place, operation == "+" ? 1 : -1);
  return operation == "+" ? moved(pointer(right, place), left, place, 1) : std::nullopt;
}

/// &p[n] is p + n; of another variable the address is not a pointer into a buffer.
BufferFinder::Found BufferFinder::address(const SyntaxNode& node, const Place& place) {
  const SyntaxNode element = without_casts(node);
  if (!element.is("subscript_expression")) return std::nullopt;
  SyntaxNode index = element.child("indices");
  if (index.is("subscript_argument_list")) {
    const auto indices = index.operands();
    if (indices.size() != 1) return std::nullopt;
    index = indices[0];
  }
  return moved(pointer(element.child("argument"), place), index, place, 1);
}

BufferFinder::Found BufferFinder::cast(const SyntaxNode& value, const SyntaxNode& type, const Place& place) {
  // "(p) - (n)" is read as a cast, see without_false_casts.
  const SyntaxNode whole = value.parent();
  const SyntaxNode repaired = evaluator_.expressions_.without_false_casts(
      whole, [&](const std::string& name) { return evaluator_.is_type(name); });
  if (whole.is("cast_expression") && !(repaired == whole)) return pointer(repaired, place);
  Found found = pointer(value, place);
  const std::string name = type.text();
  if (!found || !name.ends_with('*')) return found;
  found->element = evaluator_.resolved_type(pointee_type(name), place);
  // A program casts the untyped pointer of a tensor to the type of its elements; bytes and vectors are views.
  const bool is_tensor = !found->bytes && found->scalar.empty() && found->steps.empty();
  const bool is_view = is_vector_type(found->element) || size_of_type(found->element).value_or(1) == 1 ||
                       found->element.find_first_of("234") != std::string::npos;
  if (is_tensor && !is_view) found->scalar = found->element;
  return found;
}

}  // namespace tilescope
