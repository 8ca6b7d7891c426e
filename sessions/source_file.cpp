#include "sessions/source_file.hpp"

#include "sessions/json_reader.hpp"

namespace tilescope {

void to_json(Json& json, const SourceFile& source) {
  json = Json{{"name", source.name}, {"text", source.text}, {"headers", source.headers}};
}

void from_json(const Json& json, SourceFile& source) {
  const ObjectReader object(json);
  object.required("name", source.name);
  object.required("text", source.text);
  object.required("headers", source.headers);
}

}  // namespace tilescope
