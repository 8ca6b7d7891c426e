#include "profiler/measure/point_diagnoses.hpp"

#include "profiler/explanation/diagnose/diagnose.hpp"

namespace tilescope {
namespace {

std::vector<std::string> same_code(Workbench& bench, const Prepared& kernel, const Measurement& point) {
  const bool has_code = point.resources && !point.resources->sass_sha256.empty();
  if (!has_code || kernel.kernel.is_launched_by_library()) return {};
  return bench.programs_of_points().add(
      program_identity(kernel, kernel.complete, point.resources->sass_sha256), point);
}

}  // namespace

void add_diagnoses(Workbench& bench, const Prepared& kernel, std::optional<VariantPrograms>& variants,
                   const MeasureControl& control, Measurement& point) {
  DiagnosisInput input{point, kernel.kernel, &kernel.device};
  if (variants && !has_ended_early(point)) input.equal_values = variants->equal_values(control);
  input.same_code = same_code(bench, kernel, point);
  point.diagnoses = diagnose(input);
}

std::optional<std::vector<Diagnosis>> diagnoses_again(Workbench& bench, const Measurement& recorded) {
  if (!recorded.diagnoses) return std::nullopt;
  const KernelDeclaration kernel = bench.catalogue().find(recorded.kernel);
  const DeviceModel* device = match_device(bench.tables(), recorded.device.name);
  return diagnose_again({recorded, kernel, device});
}

void add_diagnoses_of_failure(Measurement& point) {
  if (point.diagnoses || point.status != Status::compile_failed) return;
  const KernelDeclaration unknown;
  point.diagnoses = diagnose({point, unknown, nullptr});
}

}  // namespace tilescope
