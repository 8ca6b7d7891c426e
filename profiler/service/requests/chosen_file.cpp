#include "profiler/service/requests/chosen_file.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

constexpr auto file_members = [](const auto& object, auto& file) {
  object.required("subject", file.subject);
  object.required("chosen", file.chosen);
  object.required("options", file.options);
  object.required("device", file.device);
};

void to_json(Json& json, const ChosenFile& file) {
  file_members(ObjectWriter(json), file);
}

void from_json(const Json& json, ChosenFile& file) {
  file_members(ObjectReader(json), file);
}

}  // namespace tilescope
