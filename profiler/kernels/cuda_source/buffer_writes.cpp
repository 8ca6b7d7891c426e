#include <algorithm>
#include <string>
#include <utility>

#include "profiler/kernels/cuda_source/buffer_finder.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"
#include "profiler/kernels/cuda_source/syntax_names.hpp"
#include "profiler/kernels/cuda_source/value_events.hpp"

namespace tilescope {
namespace {

/// Writes of each kind to a variable that are looked at, the newest ones: more are not from a program.
constexpr std::size_t max_writes = 200;

/// Argument of a call that a name or its address is, and the call.
struct Handed {
  SyntaxNode call;
  std::size_t index = 0;
};

std::optional<Handed> handed(SyntaxNode argument) {
  for (int steps = 0; steps < 20; ++steps) {
    const SyntaxNode above = argument.parent();
    if (above.is("cast_expression") || above.is("parenthesized_expression")) {
      argument = above;
      continue;
    }
    const SyntaxNode call = above.parent();
    if (!above.is("argument_list") || !call.is("call_expression")) return std::nullopt;
    if (is_named_cast(short_name_of(call.child("function")))) {
      argument = call;
      continue;
    }
    const auto all = above.operands();
    return Handed{call, static_cast<std::size_t>(std::find(all.begin(), all.end(), argument) - all.begin())};
  }
  return std::nullopt;
}

/// "ptr" of an event's field as a path.
std::string path_of(const ValueEvent& event) {
  return event.field.empty() ? "" : "." + event.field;
}

/// The value inside of "p(d)" and "p{d}".
SyntaxNode initial_value(const SyntaxNode& value) {
  const auto operands = value.operands();
  const bool is_list = value.is("argument_list") || value.is("initializer_list");
  return is_list && operands.size() == 1 ? operands[0] : value;
}

}  // namespace

std::vector<BufferFinder::Write> BufferFinder::writes(const HostName& name, const Place& place) {
  std::vector<Write> all;
  const auto& allocations = allocations_.of(name.base);
  for (auto one = allocations.rbegin(); one != allocations.rend() && all.size() < max_writes; ++one) {
    if (one->call.begin() >= place.position) continue;
    take_step();
    if (is_spent()) return all;
    const bool is_before = one->function == place.frame->function && one->call.end() <= place.position;
    if (is_before && !one->writes_contents() && are_alike(one->target.path, name.path))
      all.push_back({one->call, &*one, nullptr, {}});
  }
  add_event_writes(all, name, place);
  std::size_t count = 0;
  const auto& arguments = index_.arguments_named(name.base);
  for (auto one = arguments.rbegin(); one != arguments.rend() && count < max_writes; ++one) {
    if (one->node.end() > place.position) continue;
    take_step();
    if (is_spent()) return all;
    if (index_.function_of(one->node) != place.frame->function) continue;
    all.push_back({one->node, nullptr, nullptr, one->node});
    ++count;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Write& a, const Write& b) { return a.node.begin() > b.node.begin(); });
  // An allocation of the part itself precedes one of another element of its array.
  std::stable_sort(all.begin(), all.end(), [&](const Write& a, const Write& b) {
    return a.allocation && b.allocation && a.allocation->target.path == name.path &&
           b.allocation->target.path != name.path;
  });
  return all;
}

void BufferFinder::add_event_writes(std::vector<Write>& all, const HostName& name, const Place& place) {
  std::size_t count = 0;
  const auto& events = index_.events_of(name.base);
  for (auto i = events.rbegin(); i != events.rend() && count < max_writes; ++i) {
    const ValueEvent& event = index_.events()[*i];
    if (event.node.begin() >= place.position) continue;
    take_step();
    if (is_spent()) return;
    if (event.function != place.frame->function || event.kind == ValueEvent::member ||
        !precedes(event, place.position) || !name.path.starts_with(path_of(event)))
      continue;
    ++count;
    if (event.kind == ValueEvent::address_taken) {
      all.push_back({event.node, nullptr, nullptr, event.node});
    } else {
      all.push_back({event.node, nullptr, &event, {}});
    }
  }
}

BufferFinder::Outcome BufferFinder::outcome(const Write& write, const HostName& name, const Place& place) {
  if (write.event) return event_outcome(*write.event, name, place);
  if (write.allocation)
    return {allocated(*write.allocation, {place.frame, write.node.begin()}),
            write.allocation->kind != Allocation::count};
  return {handed_out(write.argument, name, place), false};
}

BufferFinder::Outcome BufferFinder::event_outcome(const ValueEvent& event, const HostName& name,
                                                  const Place& place) {
  if (event.kind == ValueEvent::parameter) return {handed_in(event, name, place), true};
  if (event.kind == ValueEvent::declaration) return {declared(event, name, place), true};
  if (event.kind != ValueEvent::assignment) return {std::nullopt, true};
  const Place inner{place.frame, event.node.begin()};
  const std::string part = name.path.substr(path_of(event).size());
  if (event.operation == "=") {
    if (is_null_pointer(event.value)) return {};
    if (part.empty()) return {pointer(event.value, inner), true};
    const auto other = part_of_argument(event.value, part);
    return {other ? named(*other, inner) : std::nullopt, true};
  }
  if (!part.empty()) return {};
  const bool is_sum = event.operation == "+=" || event.operation == "-=";
  if (!is_sum || is_in_ended_loop(event, place.position)) return {std::nullopt, true};
  return {moved(named(name, inner), event.value, inner, event.operation == "+=" ? 1 : -1), true};
}

BufferFinder::Found BufferFinder::declared(const ValueEvent& event, const HostName& name,
                                           const Place& place) {
  const SyntaxNode value = event.value;
  if (!value || event.is_array || is_null_pointer(value)) return std::nullopt;
  const Place inner{place.frame, value.begin()};
  if (!name.path.empty()) {
    const auto other = part_of_argument(initial_value(value), name.path);
    return other ? named(*other, inner) : std::nullopt;
  }
  if (is_vector(event.type, place)) return vector(event.type, value, event.node, inner);
  return pointer(initial_value(value), inner);
}

BufferFinder::Found BufferFinder::allocated(const Allocation& allocation, const Place& place) {
  const auto& arguments = allocation.arguments;
  if (allocation.kind == Allocation::alias) return pointer(arguments[1], place);
  if (allocation.kind == Allocation::count) {
    const std::string type = evaluator_.type_of(allocation.target.base, place);
    const bool is_whole = allocation.target.path.empty() && is_vector(type, place);
    return is_whole ? vector(type, allocation.call.child("arguments"), allocation.call, place) : std::nullopt;
  }
  Pointer made;
  made.allocation = allocation.call;
  made.line = allocation.call.line();
  made.place = place;
  if (allocation.kind == Allocation::bytes) made.bytes = arguments[1];
  if (allocation.kind == Allocation::pitch)
    made.bytes = evaluator_.expressions_.parse("(" + arguments[2].text() + " + 511) / 512 * 512 * (" +
                                               arguments[3].text() + ")");
  return made.bytes ? Found(made) : std::nullopt;
}

/// A parameter's value in the call of its function.
BufferFinder::Found BufferFinder::handed_in(const ValueEvent& event, const HostName& name,
                                            const Place& place) {
  const Evaluator::Frame* frame = place.frame;
  while (frame && !(frame->owner == event.scope)) frame = frame->outer;
  const Evaluator::Bound* bound = frame ? evaluator_.binding(*frame, name.base) : nullptr;
  if (!bound) return std::nullopt;
  if (name.path.empty()) return pointer(bound->value, bound->place);
  const auto part = part_of_argument(bound->value, name.path);
  return part ? named(*part, bound->place) : std::nullopt;
}

/// Pointer that a host function of the file writes to an argument: `p` in allocate(&p, n), p.data in allocate(p, n).
BufferFinder::Found BufferFinder::handed_out(const SyntaxNode& argument, const HostName& name,
                                             const Place& place) {
  const Evaluator::Level level(evaluator_);
  const auto given = handed(argument);
  if (!given || level.is_too_deep()) return std::nullopt;
  const bool is_address = argument.is("pointer_expression");
  const auto target = host_name_of(is_address ? argument.child("argument") : argument);
  if (!target || !name.path.starts_with(target->path)) return std::nullopt;
  const std::string part = name.path.substr(target->path.size());
  for (const std::size_t i : index_.functions_named(short_name_of(given->call.child("function")))) {
    const FunctionDefinition& function = index_.functions()[i];
    const auto parameters = function.parameters.operands();
    if (!function.is_on_host || given->index >= parameters.size() || is_spent()) continue;
    const SyntaxNode declarator = parameters[given->index].child("declarator");
    const bool is_reference = declarator.source().find('&') != std::string_view::npos;
    const std::string parameter = declared_name(declarator).text();
    if (parameter.empty() || (!is_address && part.empty() && !is_reference)) continue;
    Evaluator::Frame& frame = evaluator_.new_frame(static_cast<int>(i), function.node);
    frame.is_bound = true;
    const Place call{place.frame, given->call.begin()};
    evaluator_.bind(frame, function.parameters, given->call.child("arguments").operands(), call);
    evaluator_.bind_template(frame, function.template_parameters, given->call, call);
    const std::string inner = is_address && !part.starts_with('.') ? "[0]" + part : part;
    Found found = local({parameter, inner}, {&frame, function.node.end() - 1}, Parameters::stop);
    if (!found) continue;
    found->name.clear();
    return found;
  }
  return std::nullopt;
}

}  // namespace tilescope
