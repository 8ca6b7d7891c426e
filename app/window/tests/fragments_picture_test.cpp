// Panel Fragments with an instruction, as pictures: both themes, a small and a large screen.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "app/explorer/explorer.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/explorer/step/fragment_subject.hpp"
#include "app/gui/graphics.hpp"
#include "app/gui/gui.hpp"
#include "app/gui/panel.hpp"
#include "profiler/views/tests/fragment_run.hpp"

namespace tilescope {
namespace {

struct Instruction {
  const char* name;
  std::string text;
  bool has_values = false;
};

std::shared_ptr<const FragmentSubject> subject_of(const Instruction& instruction) {
  auto subject = std::make_shared<FragmentSubject>();
  subject->instruction = instruction.text;
  subject->place = "mma_flash.cu:120";
  subject->line = 120;
  subject->halves = ptx::Type::f16;
  if (instruction.has_values) {
    const FragmentView view = fragment_view(instruction.text);
    std::mt19937 random(5);
    test_support::Words words;
    for (const std::size_t m : {1U, 2U, 3U}) {
      const FragmentMatrix& matrix = view.matrices[m];
      test_support::pack(view, m, ptx::Matrix::normal(matrix.rows, matrix.columns, matrix.type, random),
                         words);
    }
    subject->registers =
        test_support::registers_after(view, test_support::snippet_of(view, "", instruction.text, words));
  }
  return subject;
}

/// One panel over the whole canvas, with the mouse at `mouse`.
void draw(Gui& gui, const Canvas& canvas, Explorer& explorer, const std::string& cells, ImVec2 mouse) {
  const auto panels = make_registered_panels();
  const auto found = std::ranges::find_if(panels, [](const auto& one) { return one->id() == "fragments"; });
  ASSERT_NE(found, panels.end());
  (*found)->take_option("cells " + cells);
  for (int frame = 0; frame < 6; ++frame) {
    ImGui::GetIO().AddMousePosEvent(mouse.x, mouse.y);
    gui.begin_frame(canvas.width(), canvas.height());
    (*found)->show_alone(explorer);
    gui.end_frame();
    canvas.bind();
    gui.paint(canvas.width(), canvas.height());
  }
}

std::vector<Instruction> instructions() {
  using test_support::list;
  const auto product = [](const char* opcode, const std::array<int, 4>& registers) {
    std::string text = opcode;
    int next = 0;
    for (const int count : registers) {
      text += (next == 0 ? " " : ", ") + list(next, count);
      next += count;
    }
    return text + ";";
  };
  return {{"mma", product("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {4, 4, 2, 4}), true},
          {"wmma", product("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", {8, 8, 8, 8}), true},
          {"ldmatrix", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 " + list(0, 4) + ", [%r9];"}};
}

struct Look {
  int width = 0, height = 0;
  float scale = 1;
  bool light = false;
};

class FragmentsPicture : public ::testing::TestWithParam<Look> {};

TEST_P(FragmentsPicture, IsDrawn) {
  const auto [width, height, scale, light] = GetParam();
  const std::filesystem::path pictures = std::filesystem::path(TILESCOPE_BUILD_DIR) / "pictures";
  std::filesystem::create_directories(pictures);
  std::optional<Graphics> graphics;
  try {
    graphics.emplace(Graphics::offscreen(width, height));
  } catch (const GraphicsError& error) {
    GTEST_SKIP() << error.what();
  }
  Gui gui(nullptr);
  apply_theme(light ? ThemeKind::light : ThemeKind::dark, scale);
  Explorer explorer(find_installation(), Client::Options{});
  const Canvas canvas(width, height);
  for (const Instruction& instruction : instructions()) {
    explorer.board().get<BlockStepping>().show_fragments(subject_of(instruction));
    for (const std::string cells : {"places", "values"}) {
      for (const bool hovers : {false, true}) {
        const ImVec2 element{static_cast<float>(width) * 0.3F, static_cast<float>(height) * 0.75F};
        draw(gui, canvas, explorer, cells, hovers ? element : ImVec2{-1, -1});
        const auto file = pictures / fmt::format("fragments_{}_{}{}_{}_{}.png", instruction.name, cells,
                                                 hovers ? "_hover" : "", light ? "light" : "dark", width);
        std::filesystem::remove(file);
        write_png(file, width, height);
        EXPECT_GT(std::filesystem::file_size(file), 25000U) << file << " is nearly empty";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ThemesAndSizes, FragmentsPicture,
                         ::testing::Values(Look{440, 560, 1, false}, Look{440, 560, 1, true},
                                           Look{960, 600, 1, false}, Look{960, 600, 1, true},
                                           Look{1320, 1680, 2, false}, Look{1320, 1680, 2, true}));

}  // namespace
}  // namespace tilescope
