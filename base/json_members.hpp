#pragma once

#include <type_traits>

#include "base/object_writer.hpp"

namespace tilescope {

/// A struct that lists its members itself, in the order of its JSON:
///   static constexpr auto members = [](const auto& object, auto& params) { object.required("device", params.device); };
template <class T>
concept ListsMembers = requires {
  T::members;
};

template <ListsMembers T>
void to_json(Json& json, const T& value) {
  T::members(ObjectWriter(json), value);
}

/// Throws DocumentError with the place. A struct without members is read from any value.
template <ListsMembers T>
void from_json(const Json& json, T& value) {
  if constexpr (!std::is_empty_v<T>) T::members(ObjectReader(json), value);
}

}  // namespace tilescope
