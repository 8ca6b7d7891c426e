#include <algorithm>
#include <set>
#include <string>

#include "profiler/kernels/cuda_source/buffer_finder.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"
#include "profiler/kernels/cuda_source/value_events.hpp"

namespace tilescope {
namespace {

/// Other functions, or members with the same name, that are looked at.
constexpr std::size_t max_tried = 20;

}  // namespace

BufferFinder::Found BufferFinder::named(const HostName& name, const Place& place) {
  const Evaluator::Level level(evaluator_);
  if (!place.frame || level.is_too_deep() || is_spent()) return std::nullopt;
  Found found = local(name, place, Parameters::follow);
  if (!found && !is_local(name.base, place)) found = elsewhere(name, place);
  if (!found && !name.path.empty()) found = by_member(name, place);
  if (!found) return found;
  if (const std::string element = element_of(name, place); !element.empty()) found->element = element;
  if (found->name.empty()) found->name = name.text();
  found->names.insert(found->names.begin(), {name, place});
  return found;
}

bool BufferFinder::is_local(const std::string& base, const Place& place) const {
  const ValueEvent* declaration = evaluator_.declaration_of(base, place);
  return declaration && declaration->function >= 0;
}

/// Type that a pointer is declared to point to, "" if that is not known.
std::string BufferFinder::element_of(const HostName& name, const Place& place) {
  const std::string member = last_member(name.path);
  const ValueEvent* declaration = member.empty() ? evaluator_.declaration_of(name.base, place) : nullptr;
  const std::string owner = pointee_type(evaluator_.type_of(name.base, place));
  if (!declaration) {
    for (const std::size_t i : index_.events_of(member.empty() ? name.base : member)) {
      const ValueEvent& event = index_.events()[i];
      if (event.kind != ValueEvent::member) continue;
      if (!declaration || event.owner == owner) declaration = &event;
      if (event.owner == owner) break;
    }
  }
  if (!declaration || !(declaration->type.ends_with('*') || declaration->is_array)) return "";
  const std::string element = pointee_type(declaration->type);
  return element == "auto" ? "" : evaluator_.resolved_type(element, place);
}

/// The last write before a place of its function that is certain, or the last one that is possible.
BufferFinder::Found BufferFinder::local(const HostName& name, const Place& place, Parameters parameters) {
  if (place.frame->function < 0) return std::nullopt;
  std::vector<Write> possible, others;
  for (const Write& write : writes(name, place)) {
    take_step();
    if (is_spent()) return std::nullopt;
    const bool is_declaration = write.event && declares(*write.event);
    if (is_declaration && write.event->kind == ValueEvent::parameter && parameters == Parameters::stop) break;
    ValueEvent position;
    position.node = write.node;
    if (is_in_other_branch(position, place.position)) {
      others.push_back(write);
      continue;
    }
    const auto reached = is_declaration ? Evaluator::Reach::certain : evaluator_.reach(write.node, place);
    if (reached == Evaluator::Reach::possible) possible.push_back(write);
    if (reached != Evaluator::Reach::certain) continue;
    Outcome result = outcome(write, name, place);
    if (result.pointer) return result.pointer;
    if (is_declaration) break;
    if (result.is_final) return std::nullopt;
  }
  possible.insert(possible.end(), others.begin(), others.end());
  for (const Write& write : possible) {
    if (is_spent()) return std::nullopt;
    Outcome result = outcome(write, name, place);
    if (result.pointer || result.is_final) return result.pointer;
  }
  return std::nullopt;
}

/// A variable of the file, or a member of the class: its value in its declaration or in another function.
BufferFinder::Found BufferFinder::elsewhere(const HostName& name, const Place& place) {
  std::set<int> functions;
  const auto add = [&](int function) {
    if (function >= 0 && function != place.frame->function && functions.size() < max_tried)
      functions.insert(function);
  };
  for (const std::size_t i : index_.events_of(name.base)) {
    take_step();
    if (is_spent()) return std::nullopt;
    const ValueEvent& event = index_.events()[i];
    if (event.function < 0 && event.kind == ValueEvent::declaration)
      if (Found found = declared(event, name, evaluator_.place_of({}))) return found;
    if (event.kind == ValueEvent::assignment || event.kind == ValueEvent::address_taken) add(event.function);
  }
  for (const Allocation& allocation : allocations_.of(name.base))
    if (!allocation.writes_contents()) add(allocation.function);
  for (const int function : functions) {
    const auto& definition = index_.functions()[static_cast<std::size_t>(function)];
    const Place end{&evaluator_.frame_of_function(function), definition.node.end() - 1};
    if (is_local(name.base, end)) continue;
    if (Found found = local(name, end, Parameters::follow)) return found;
  }
  return std::nullopt;
}

/// The first allocation in the file of the member of an object of this type.
BufferFinder::Found BufferFinder::by_member(const HostName& name, const Place& place) {
  std::size_t tried = 0;
  for (const Allocation& allocation : allocations_.of_member(last_member(name.path))) {
    if (++tried > max_tried) break;
    if (!is_member_of(allocation, name, place)) continue;
    if (Found found = allocated(allocation, evaluator_.place_of(allocation.call))) return found;
  }
  return std::nullopt;
}

bool BufferFinder::is_member_of(const Allocation& allocation, const HostName& name, const Place& place) {
  const std::string type = pointee_type(evaluator_.type_of(name.base, place));
  const Place there = evaluator_.place_of(allocation.call);
  if (allocation.target.path.empty()) {
    if (allocation.function < 0 || type.empty() || is_local(allocation.target.base, there)) return false;
    const auto& function = index_.functions()[static_cast<std::size_t>(allocation.function)];
    return ("::" + function.name).ends_with("::" + type + "::" + function.short_name);
  }
  if (!are_alike(allocation.target.path, name.path)) return false;
  const std::string other = pointee_type(evaluator_.type_of(allocation.target.base, there));
  return !type.empty() && type != "auto" ? type == other : allocation.target.base == name.base;
}

}  // namespace tilescope
