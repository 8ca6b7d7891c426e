// Panel Fragments: instructions that the interpreter executed, with the mouse.

#include "app/explorer/step/block_stepping.hpp"
#include "app/explorer/step/fragment_subject.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "profiler/views/tests/fragment_run.hpp"

namespace tilescope {
namespace {

const std::string product =
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, "
    "%r9}, "
    "{%r10, %r11, %r12, %r13};";

class FragmentsPanelTest : public Panels {
 protected:
  /// With whole numbers in A, B and C, and the product that the interpreter wrote in D.
  void show_product(bool with_values = true) {
    auto subject = std::make_shared<FragmentSubject>();
    subject->instruction = product;
    subject->warp = 3;
    if (with_values) {
      const FragmentView view = fragment_view(product);
      std::mt19937 random(3);
      a_ = ptx::Matrix::whole(16, 16, -9, 9, random);
      test_support::Words words;
      test_support::pack(view, 1, a_, words);
      test_support::pack(view, 2, ptx::Matrix::whole(16, 8, -9, 9, random), words);
      test_support::pack(view, 3, ptx::Matrix::whole(16, 8, -99, 99, random), words);
      subject->registers =
          test_support::registers_after(view, test_support::snippet_of(view, "", product, words));
    }
    explorer_->board().get<BlockStepping>().show_fragments(std::move(subject));
  }
  void show_text(const std::string& instruction) {
    auto subject = std::make_shared<FragmentSubject>();
    subject->instruction = instruction;
    explorer_->board().get<BlockStepping>().show_fragments(std::move(subject));
  }
  /// How many corners of this color were drawn inside a landmark.
  static int corners(const test_support::HeadlessGui& gui, const ImVec4& color, const std::string& mark) {
    const std::vector<float> at = gui.rectangle(mark);
    int count = 0;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawVert& vertex : list->VtxBuffer) {
        const bool inside = vertex.pos.x >= at[0] - 4 && vertex.pos.x <= at[2] + 4 &&
                            vertex.pos.y >= at[1] - 4 && vertex.pos.y <= at[3] + 4;
        if (inside && vertex.col == ImGui::ColorConvertFloat4ToU32(color)) ++count;
      }
    }
    return count;
  }

  ptx::Matrix a_{16, 16};
};

TEST_F(FragmentsPanelTest, SaysWhatIsMissing) {
  test_support::HeadlessGui gui(480, 360);
  show(gui, "fragments");
  EXPECT_GT(gui.vertices(), 100) << "no instruction";
  EXPECT_FALSE(gui.has("fragments.instruction"));
  show_text("add.f32 %f1, %f2, %f3;");
  gui.frames();
  EXPECT_TRUE(gui.has("fragments.instruction"));
  EXPECT_FALSE(gui.has("fragments.summary"));
  EXPECT_EQ(panel("fragments").csv(), "");
}

TEST_F(FragmentsPanelTest, AProductLiesInTheCornerOfItsFactors) {
  show_product();
  for (const auto& [width, height] : {std::pair{420.0F, 520.0F}, {960.0F, 600.0F}, {700.0F, 900.0F}}) {
    test_support::HeadlessGui gui(width, height);
    show(gui, "fragments");
    for (int k = 0; k < 16; ++k) {
      const std::string text = std::to_string(k);
      ASSERT_EQ(gui.rectangle("fragment.A." + text + ".0")[1], gui.rectangle("fragment.D." + text + ".0")[1]);
    }
    for (const char* name : {"fragment.A", "fragment.B", "fragment.C", "fragment.D"}) {
      EXPECT_GE(gui.rectangle(name)[0], 0) << name;
      EXPECT_LE(gui.rectangle(name)[2], width) << name;
      EXPECT_LE(gui.rectangle(name)[3], height) << name << " needs no scrolling";
    }
  }
}

TEST_F(FragmentsPanelTest, TheMouseLinksElementLaneAndRegister) {
  show_product();
  test_support::HeadlessGui gui(960, 800);
  show(gui, "fragments");
  const ImVec4& ring = palette().selection;
  EXPECT_EQ(corners(gui, ring, "fragment.A.9.2"), 0);
  const int before = corners(gui, wash(palette().series[1], 0.95F), "fragment.D");
  gui.move_to("fragment.A.9.2");  // in lane 5
  gui.frames(2);
  EXPECT_GT(corners(gui, ring, "fragment.A.9.2"), 0);
  EXPECT_EQ(corners(gui, ring, "fragment.A.9.8"), 0);
  // The lane's own elements stand out in every matrix.
  for (const char* mark :
       {"fragment.D.1.2", "fragment.D.9.3", "fragment.B.10.1", "fragment.C.9.2", "fragment.lane.5"})
    EXPECT_GT(corners(gui, wash(palette().series[1], 0.95F), mark), 0) << mark;
  EXPECT_GT(corners(gui, palette().accent, "fragment.register.5"), 0) << "a2 and a3";
  EXPECT_EQ(corners(gui, palette().accent, "fragment.register.9"), 0);
  EXPECT_EQ(before, 0);
  gui.move_to("fragment.lane.5");
  gui.frames(2);
  EXPECT_EQ(corners(gui, ring, "fragment.A"), 0);
  EXPECT_GT(corners(gui, wash(palette().series[1], 0.95F), "fragment.A.9.10"), 0);
  gui.move_to("fragment.register.5");
  gui.frames(2);
  EXPECT_GT(corners(gui, wash(palette().series[1], 0.95F), "fragment.A.9.7"), 0);
  EXPECT_GT(corners(gui, wash(palette().series[2], 0.95F), "fragment.A.10.0"), 0);
  EXPECT_EQ(corners(gui, wash(palette().series[1], 0.95F), "fragment.D"), 0);
}

TEST_F(FragmentsPanelTest, ValuesAreShownWhereThereAreSome) {
  show_product(false);
  test_support::HeadlessGui gui(1600, 1000);
  show(gui, "fragments");
  EXPECT_TRUE(gui.has("fragment.text.A.0"));
  EXPECT_TRUE(gui.has("fragment.text.A.1")) << "lane and register";
  gui.click("fragments.cells.values");
  EXPECT_EQ(panel("fragments").options(), std::vector<std::string>{"cells places"}) << "there are none";
  show_product();
  gui.frames();
  gui.click("fragments.cells.values");
  EXPECT_EQ(panel("fragments").options(), std::vector<std::string>{"cells values"});
  EXPECT_TRUE(gui.has("fragment.text.D.0"));
  const std::string csv = panel("fragments").csv();
  EXPECT_NE(csv.find("\nA,9,2,5,%r5,0," + fmt::format("{}", a_.at(9, 2)) + "\n"), std::string::npos);
}

TEST_F(FragmentsPanelTest, EveryInstructionAndSizeIsDrawn) {
  using test_support::list;
  const std::string texts[] = {
      product,
      fmt::format("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {}, {}, {}, {};", list(0, 4), list(4, 4),
                  list(8, 2), list(10, 4)),
      fmt::format("wmma.load.b.sync.aligned.col.m8n32k16.shared.f16 {}, [%rd1], %r9;", list(0, 8)),
      fmt::format("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {}, [%r9];", list(0, 4)),
      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r9], {%r0};"};
  for (const std::string& text : texts) {
    show_text(text);
    const FragmentView view = fragment_view(text);
    for (const ThemeKind theme : {ThemeKind::dark, ThemeKind::light}) {
      for (const float scale : {1.0F, 2.0F}) {
        for (const auto& [width, height] : {std::pair{380.0F, 480.0F}, {420.0F, 520.0F}, {1200.0F, 400.0F}}) {
          test_support::HeadlessGui gui(width * scale, height * scale, scale, theme);
          show(gui, "fragments");
          const auto is_seen = [&](const FragmentMatrix& matrix) {
            return gui.has("fragment." + matrix.name);
          };
          const bool is_deep = text.find("m16n8k32") != std::string::npos && width < 500;
          EXPECT_TRUE(std::ranges::all_of(view.matrices, is_seen) || is_deep)
              << text << " " << width << " x " << height;
          EXPECT_EQ(gui.has("fragments.note"), !view.note.empty());
          EXPECT_TRUE(std::ranges::any_of(view.matrices, is_seen)) << "the rest is scrolled";
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
