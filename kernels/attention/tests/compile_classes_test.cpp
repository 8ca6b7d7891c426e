// Every rung and every exhibit of the catalogue compiles on every architecture. The compiled configurations cover every
// parameter value, every D, every dtype and both masks that a kernel supports there, and each fits the device on which
// the constraints allow it.

#include <algorithm>

#include "kernels/attention/tests/covering_classes.hpp"
#include "kernels/attention/tests/kernel_test.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"

namespace tilescope {
namespace {

// Kernels with configurations that may spill, although the defaults may not: how many bytes per thread at most, and
// why. All other kernels reject such configurations by a constraint.
struct MaySpill {
  std::string kernel;
  std::int64_t bytes;
  std::string reason;
};
const std::vector<MaySpill> may_spill = {
    {"tiled", 64, "without a bound to keep to, ptxas trades a few registers for blocks that it guesses at"},
    {"flash_scalar", 64, "as tiled"},
    {"mma_flash", 256, "the constraint on registers counts fragments; at its edge addresses do not fit too"},
    {"mma_splitkv", 256, "as mma_flash"},
    {"spilling_unroll", 1024, "its fault"},
};

class CompileClasses : public KernelTest, public testing::WithParamInterface<std::string> {
 protected:
  const KernelDeclaration kernel = catalogue().find(GetParam());

  // One device of each architecture.
  std::vector<const DeviceModel*> devices() const {
    return {&device("A100"), &device("A10"), &device("L4"), &device("H100")};
  }

  CompiledKernel compile_class(const CompileClass& one, const DeviceModel& device) const {
    return compile({kernel, one.chosen, one.shape}, device.arch);
  }

  void expect_compiles(const CompileClass& one, const DeviceModel& device) const {
    const CompiledKernel compiled = compile_class(one, device);
    EXPECT_FALSE(compiled.cubin.empty());
    EXPECT_LE(compiled.resources.spill_bytes, spill_limit(one)) << "refuse it by a constraint";

    Resources resources = compiled.resources;
    const LaunchGeometry geometry = launch_geometry(kernel, one.chosen, one.shape, device);
    resources.dynamic_shared_bytes = geometry.dynamic_shared_bytes;
    const auto promised = one.chosen.find("BLOCKS_PER_SM");
    EXPECT_GE(occupancy(device, resources, geometry).blocks_per_sm,
              promised == one.chosen.end() ? 1 : std::get<std::int64_t>(promised->second));
  }

  // The fault of static_shared, except where its card says that the tiles fit or that ptxas accepts them.
  bool is_refused(const CompileClass& one, const DeviceModel& device) const {
    return kernel.name == "static_shared" && to_string(one.chosen.at("FAULT")) == "on" && one.shape.D > 32 &&
           device.compute_major < 9;
  }

 private:
  std::int64_t spill_limit(const CompileClass& one) const {
    if (one.chosen == kernel.complete({})) return 0;
    const auto found = std::find_if(may_spill.begin(), may_spill.end(),
                                    [&](const MaySpill& entry) { return entry.kernel == kernel.name; });
    return found == may_spill.end() ? 0 : found->bytes;
  }
};

TEST_P(CompileClasses, CompileAndFitOnEveryArchitecture) {
  // An exhibit has few parameters: one class for each D.
  const std::size_t least = kernel.role == KernelRole::rung ? 6 : 5;
  const bool every_size = takes_every_head_size(kernel);
  for (const DeviceClasses& found : covering_classes(kernel, devices(), least, every_size)) {
    for (const std::string& value : found.missing) {
      ADD_FAILURE() << "no class with " << value << " is valid on " << found.device->name;
    }
    const auto is_default = [&](const CompileClass& one) { return one.chosen == kernel.complete({}); };
    EXPECT_GE(std::count_if(found.classes.begin(), found.classes.end(), is_default), every_size ? 2 : 1);
    for (const CompileClass& one : found.classes) {
      SCOPED_TRACE(found.device->arch + " " + to_string(one));
      if (is_refused(one, *found.device)) {
        EXPECT_THROW(compile_class(one, *found.device), CompileFailed);
      } else {
        EXPECT_NO_THROW(expect_compiles(one, *found.device));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rungs, CompileClasses, testing::ValuesIn(attention_kernels(KernelRole::rung)),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Exhibits, CompileClasses, testing::ValuesIn(attention_kernels(KernelRole::exhibit)),
                         test_name);

}  // namespace
}  // namespace tilescope
