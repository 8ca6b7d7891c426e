#include "sessions/source_file.hpp"

#include "base/json_reader.hpp"

namespace tilescope {

void to_json(Json& json, const SourceFile& source) {
  json = Json{{"name", source.name},
              {"text", source.text},
              {"headers", source.headers},
              {"hashed_headers", source.hashed_headers}};
}

void from_json(const Json& json, SourceFile& source) {
  const ObjectReader object(json);
  object.required("name", source.name);
  object.required("text", source.text);
  object.required("headers", source.headers);
  object.optional("hashed_headers", source.hashed_headers);  // A worker's caller may be older.
}

}  // namespace tilescope
