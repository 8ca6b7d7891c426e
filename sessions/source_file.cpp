#include "sessions/source_file.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

constexpr auto source_members = [](const auto& object, auto& source) {
  object.required("name", source.name);
  object.required("text", source.text);
  object.required("headers", source.headers);
  // A caller of a worker may be older and have none.
  object.optional("hashed_headers", source.hashed_headers);
};

void to_json(Json& json, const SourceFile& source) {
  source_members(ObjectWriter(json), source);
}

void from_json(const Json& json, SourceFile& source) {
  source_members(ObjectReader(json), source);
}

}  // namespace tilescope
