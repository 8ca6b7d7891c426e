#include "app/commands/contribution.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/commands/command.hpp"
#include "app/commands/fit_points.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/regular_file.hpp"

namespace tilescope {
namespace {

constexpr const char* table_member = "device_table";

bool is_of_catalogue(const std::string& kernel) {
  return kernel.find('/') == std::string::npos && kernel.find('.') == std::string::npos;
}

Measurement without_traces(const Measurement& point, const std::string& device) {
  Measurement kept;
  kept.status = point.status;
  kept.kernel = point.kernel;
  kept.parameters = point.parameters;
  kept.shape = point.shape;
  kept.device = point.device;
  kept.device.name = device;
  kept.resources = point.resources;
  kept.error = point.error;
  kept.latency = point.latency;
  kept.provenance = point.provenance;
  kept.provenance.host.clear();
  kept.provenance.compile_options.clear();
  kept.provenance.binary_key.clear();
  return kept;
}

// Its fitted figures name the session that they are from.
DeviceModel without_fit(DeviceModel device) {
  device.fitted.clear();
  device.present = false;
  device.ordinal = -1;
  return device;
}

}  // namespace

Contribution contribution_of(const Session& session, const std::string& device,
                             const std::vector<DeviceModel>& tables) {
  Contribution contribution;
  contribution.device = device.empty() ? most_frequent(timed_points(session, tables)) : device;
  contribution.session.title = "Points of " + contribution.device;
  contribution.session.created_utc = session.created_utc;
  contribution.session.tilescope_version = session.tilescope_version;
  for (const SharedMeasurement& point : session.points) {
    const DeviceModel* table = match_device(tables, point->device.name);
    const std::string& name = table == nullptr ? point->device.name : table->name;
    if (name != contribution.device) continue;
    const bool has_code = point->resources && !point->resources->sass_sha256.empty();
    if (point->status == Status::ok && point->latency && has_code && is_of_catalogue(point->kernel)) {
      contribution.session.points.push_back(
          std::make_shared<const Measurement>(without_traces(*point, contribution.device)));
    } else {
      ++contribution.left_out;
    }
  }
  if (contribution.session.points.empty())
    throw CannotRun(contribution.device.empty()
                        ? "the session has no point with a latency"
                        : fmt::format("the session has no timed point of {} with its machine code's hash",
                                      contribution.device));
  if (const DeviceModel* table = match_device(tables, contribution.device))
    contribution.session.unknown.add({table_member}, to_json_document(without_fit(*table)));
  return contribution;
}

std::optional<DeviceModel> contributed_device(const std::filesystem::path& file) {
  const Json document = Json::parse(read_regular_file(file, session_file_limit), nullptr, false);
  if (!document.is_object() || !document.contains(table_member)) return std::nullopt;
  try {
    return device_model_from(document.at(table_member));
  } catch (const DocumentError& error) {
    throw UnreadableInput(fmt::format("{}: /{}{}", file.string(), table_member, error.what()));
  }
}

}  // namespace tilescope
