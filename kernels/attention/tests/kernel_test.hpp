#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "kernels/attention/tests/kernel_case.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"

namespace tilescope {

/// The names of the catalogue's kernels of a role that compute attention and that no library launches. Tests over all
/// kernels are instantiated with these, so that a new file is tested without being named.
inline std::vector<std::string> attention_kernels(KernelRole role) {
  // Read once: each suite asks before main().
  static const Catalogue catalogue(find_installation().kernels);
  std::vector<std::string> names;
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    const bool fits = kernel.result == KernelResult::attention && !kernel.is_launched_by_library();
    if (kernel.role == role && fits) names.push_back(kernel.name);
  }
  return names;
}

/// A kernel's name as part of a test's name, which may have letters, digits and '_'.
inline std::string test_name(const ::testing::TestParamInfo<std::string>& kernel) {
  std::string name = kernel.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Whether a kernel must support every head size in `head_sizes`: the rungs of the ladder, which are compared with each
/// other, and the exhibits. Other kernels support what their constraints allow.
inline bool takes_every_head_size(const KernelDeclaration& kernel) {
  return kernel.rung > 0 || kernel.role == KernelRole::exhibit;
}

/// Tests kernels of the catalogue as the L4 would run them. Skipped with the reason where there is no NVRTC.
class KernelTest : public ::testing::Test {
 protected:
  KernelTest()
      : installation_(find_installation()),
        catalogue_(installation_.kernels),
        tables_(load_device_tables(installation_.devices)) {}

  void SetUp() override {
    const char* toolkit = std::getenv("TILESCOPE_CUDA");
    try {
      compiler_ = std::make_unique<Compiler>(Nvrtc::open({.toolkit = toolkit != nullptr ? toolkit : "",
                                                          .dependencies = installation_.dependencies,
                                                          .driver_cuda = {}}),
                                             Compiler::Folders{.kernels = installation_.kernels,
                                                               .cache = installation_.cache,
                                                               .dependencies = installation_.dependencies});
    } catch (const NvrtcUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
  }

  const Catalogue& catalogue() const { return catalogue_; }
  const DeviceModel& device(const std::string& name) const { return *match_device(tables_, name); }
  const DeviceModel& l4() const { return device("L4"); }

  const Compiler& compiler() const { return *compiler_; }

  std::string why_illegal(const KernelCase& one) const {
    return why_invalid(one.kernel, one.kernel.complete(one.chosen), one.shape, l4());
  }
  /// `shape` with a head size and a dtype that the kernel supports with its defaults: those of `shape` where possible.
  Shape taken_shape(const KernelDeclaration& kernel, const Shape& shape) const {
    for (const std::int64_t size : {shape.D, std::int64_t{64}, std::int64_t{32}, std::int64_t{96},
                                    std::int64_t{128}, std::int64_t{256}}) {
      Shape taken = shape;
      taken.D = size;
      if (std::ranges::find(kernel.dtypes, shape.dtype) == kernel.dtypes.end())
        taken.dtype = kernel.dtypes.front();
      if (why_illegal({kernel, {}, taken}).empty()) return taken;
    }
    return shape;
  }
  CompiledKernel compile(const KernelCase& one, const std::string& arch = "sm_89") const {
    return compiler_->compile(one.kernel, one.kernel.complete(one.chosen), one.shape, arch);
  }
  /// Compiles a helper kernel that has no declaration.
  CompiledKernel compile_file(const std::filesystem::path& file, const std::string& entry,
                              const std::string& arch) const {
    return compiler_->compile_file(file, entry, {}, arch);
  }
  MemoryCounts counted(const KernelCase& one) const {
    return CaseLaunch(one, compile(one), l4()).trace({}).memory;
  }
  /// The checkers' findings over the whole grid, and what is wrong with its results.
  struct Checked {
    std::vector<Finding> findings;
    std::string wrong;
  };
  Checked checked(const KernelCase& one) const {
    CaseLaunch launch(one, compile(one), l4());
    TraceOptions options;
    options.count = false;
    options.check = true;
    Traced traced = launch.trace(options);
    return {std::move(traced.findings), launch.why_wrong()};
  }
  /// Expects that the case is valid, its result correct, and that the checkers find nothing.
  void expect_right(const KernelCase& one) const {
    SCOPED_TRACE(one.name());
    ASSERT_EQ(why_illegal(one), "");
    const Checked result = checked(one);
    EXPECT_EQ(result.wrong, "");
    for (const Finding& finding : result.findings) ADD_FAILURE() << finding.kind << ": " << finding.text;
  }

 private:
  Installation installation_;
  Catalogue catalogue_;
  std::vector<DeviceModel> tables_;
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace tilescope
