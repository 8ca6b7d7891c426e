#include "app/widgets/shape_picker.hpp"

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {
namespace {

/// Fixture with a kernel that takes D = 64 alone.
class ShapePicker : public ::testing::Test {
 protected:
  ShapePicker() {
    gui_.show([this] {
      ImGui::SetNextWindowPos({10, 10});
      ImGui::SetNextWindowSize({300, 280});
      ImGui::Begin("panel");
      const auto why_invalid = [](const Shape& shape) {
        return std::string(shape.D == 64 ? "" : "D must be 64");
      };
      if (const auto taken = shape_picker(draft_, shape_, {DataType::fp16, DataType::bf16}, why_invalid))
        shape_ = *taken;
      ImGui::End();
    });
    gui_.frames();
  }
  ~ShapePicker() override { EXPECT_TRUE(gui_.errors().empty()) << gui_.errors().front(); }

  test_support::HeadlessGui gui_{320, 300};
  Shape shape_;
  ShapeDraft draft_;
};

TEST_F(ShapePicker, TheTypeIsChosenByAClickAndByTheArrows) {
  gui_.click("shape.dtype.bf16");
  EXPECT_EQ(shape_.dtype, DataType::bf16);
  gui_.key(ImGuiKey_LeftArrow);
  EXPECT_EQ(shape_.dtype, DataType::fp16);
}

TEST_F(ShapePicker, AMalformedDraftSaysWhyUntilItIsRepaired) {
  gui_.click("shape.Hkv");
  gui_.type("3");
  gui_.key(ImGuiKey_Enter);
  EXPECT_EQ(shape_.Hkv, 8);
  EXPECT_FALSE(draft_.why_invalid.empty());
  gui_.click("shape.Hkv");
  gui_.type("4");
  gui_.key(ImGuiKey_Enter);
  EXPECT_EQ(shape_.Hkv, 4);
  EXPECT_EQ(draft_.why_invalid, "");
}

TEST_F(ShapePicker, ADraftThatTheKernelCannotTakeSaysWhyWhileItIsTyped) {
  gui_.click("shape.D");
  gui_.type("80");
  EXPECT_EQ(draft_.why_invalid, "D must be 64");
  EXPECT_EQ(shape_.D, 64);
  gui_.key(ImGuiKey_Enter);
  EXPECT_EQ(shape_.D, 80) << "the configuration says then that it is invalid";
  EXPECT_EQ(draft_.why_invalid, "");
}

}  // namespace
}  // namespace tilescope
