// The counters of an H200 for layouts that no kernel of the ladder has, against what the interpreter counts. The layouts
// are among those that the solver lists, and layout_proof_test holds its promises to the same counts.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/json.hpp"
#include "kernels/attention/tests/kernel_test.hpp"
#include "profiler/explanation/layouts/tests/recorded_case.hpp"

namespace tilescope {
namespace {

struct SharedWavefronts {
  std::int64_t loads = 0, stores = 0;
};

class LayoutHardware : public KernelTest {
 protected:
  // Every block of these shapes does the same.
  SharedWavefronts counted_of_grid(const KernelCase& one) const {
    const RecordedCase block(one, compile(one), l4());
    const Configuration complete = one.kernel.complete(one.chosen);
    const LaunchGeometry geometry = launch_geometry(one.kernel, complete, one.shape, l4());
    const std::int64_t blocks = geometry.grid_x * geometry.grid_y * geometry.grid_z;
    SharedWavefronts sum;
    for (const RecordedAccess& access : block.recording.accesses) {
      const std::string& operation = block.recording.sites[access.site].operation;
      if (operation == "ld.shared" || operation == "ldmatrix") sum.loads += access.wavefronts * blocks;
      if (operation == "st.shared") sum.stores += access.wavefronts * blocks;
    }
    return sum;
  }

  static KernelCase case_of(const KernelDeclaration& kernel, const Json& point) {
    Configuration chosen;
    for (const auto& [name, value] : point.at("parameters").items()) {
      chosen[name] = value.is_string() ? ParameterValue(value.get<std::string>())
                                       : ParameterValue(value.get<std::int64_t>());
    }
    Shape shape;
    shape.B = point.at("shape").at("B");
    shape.Hq = shape.Hkv = point.at("shape").at("H");
    shape.Sq = shape.Sk = point.at("shape").at("S");
    shape.D = point.at("shape").at("D");
    return {kernel, chosen, shape};
  }
};

// Percent by which the counter may be above the count. With ldmatrix and cp.async it is exact; what the surplus of the
// others is, is not known.
double allowance(const Json& parameters, bool are_stores) {
  if (parameters.at("READ") == "ldmatrix") return 0;
  return are_stores && parameters.at("COPY") == "scalar" ? 9 : 3;
}

TEST_F(LayoutHardware, CountersOfAnH200AreThoseOfTheInterpreter) {
  const auto folder = find_installation().root / "profiler/explanation/layouts/tests";
  const KernelDeclaration kernel = read_kernel_declaration(folder / "any_layout.cu");
  std::ifstream file(folder / "hardware/any_layout_h200.json");
  const Json recorded = Json::parse(file);
  ASSERT_EQ(recorded.at("points").size(), 50U);
  for (const Json& point : recorded.at("points")) {
    const KernelCase one = case_of(kernel, point);
    SCOPED_TRACE(one.name());
    ASSERT_EQ(why_illegal(one), "");
    const SharedWavefronts count = counted_of_grid(one);
    const auto expect_near = [&](const char* counter, std::int64_t ours, bool are_stores) {
      const std::int64_t measured = point.at(counter);
      EXPECT_GE(measured, ours) << counter;
      const double above =
          100.0 * static_cast<double>(measured - ours) / static_cast<double>(std::max<std::int64_t>(ours, 1));
      EXPECT_LE(above, allowance(point.at("parameters"), are_stores)) << counter;
    };
    expect_near("shared_load_wavefronts", count.loads, false);
    expect_near("shared_store_wavefronts", count.stores, true);
  }
}

}  // namespace
}  // namespace tilescope
