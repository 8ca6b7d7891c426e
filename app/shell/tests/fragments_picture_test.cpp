// Panel Fragments with an instruction, as pictures: both themes, a small and a large screen.

#include <gtest/gtest.h>

#include "app/explorer/explorer.hpp"
#include "app/explorer/fragment_subject.hpp"
#include "app/shell/graphics.hpp"
#include "app/shell/gui.hpp"
#include "app/shell/panel.hpp"
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
    testing::Words words;
    for (const std::size_t m : {1U, 2U, 3U}) {
      const FragmentMatrix& matrix = view.matrices[m];
      testing::pack(view, m, ptx::Matrix::normal(matrix.rows, matrix.columns, matrix.type, random), words);
    }
    subject->registers =
        testing::registers_after(view, testing::snippet_of(view, "", instruction.text, words));
  }
  return subject;
}

TEST(FragmentsPicture, LooksAlikeInBothThemesAndSizes) {
  using testing::list;
  const Instruction instructions[] = {
      {"mma",
       "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + list(0, 4) + ", " + list(4, 4) + ", " +
           list(8, 2) + ", " + list(10, 4) + ";",
       true},
      {"wmma",
       "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " + list(0, 8) + ", " + list(8, 8) + ", " +
           list(16, 8) + ", " + list(24, 8) + ";",
       true},
      {"ldmatrix", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 " + list(0, 4) + ", [%r9];"}};
  const std::filesystem::path pictures = std::filesystem::path(TILESCOPE_BUILD_DIR) / "pictures";
  std::filesystem::create_directories(pictures);
  for (const auto& [width, height, scale] :
       {std::tuple{440, 560, 1.0F}, {960, 600, 1.0F}, {1320, 1680, 2.0F}}) {
    std::optional<Graphics> graphics;
    try {
      graphics.emplace(Graphics::offscreen(width, height));
    } catch (const GraphicsError& error) {
      GTEST_SKIP() << error.what();
    }
    for (const bool light : {false, true}) {
      Gui gui(nullptr);
      apply_theme(light ? ThemeKind::light : ThemeKind::dark, scale);
      Explorer explorer(find_installation(), Client::Options{});
      const Canvas canvas(width, height);
      for (const Instruction& instruction : instructions) {
        explorer.show_fragments(subject_of(instruction));
        for (const char* cells : {"places", "values"}) {
          // With the mouse on an element, and without.
          for (const bool hovers : {false, true}) {
            for (const auto& panel : make_registered_panels()) {
              if (panel->id() != "fragments") continue;
              panel->take_option(std::string("cells ") + cells);
              for (int frame = 0; frame < 6; ++frame) {
                const auto x = static_cast<float>(width), y = static_cast<float>(height);
                ImGui::GetIO().AddMousePosEvent(hovers ? x * 0.3F : -1, hovers ? y * 0.75F : -1);
                gui.begin_frame(width, height);
                panel->show_alone(explorer);
                gui.end_frame();
                canvas.bind();
                gui.paint(width, height);
              }
              write_png(pictures / fmt::format("fragments_{}_{}{}_{}_{}.png", instruction.name, cells,
                                               hovers ? "_hover" : "", light ? "light" : "dark", width),
                        width, height);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
