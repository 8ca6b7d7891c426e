// Panel Lesson with the real worker and the mouse.

#include <map>

#include "app/explorer/learn/lesson_reading.hpp"
#include "app/explorer/learn/museum.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/panels/tests/recorded_fixture.hpp"

namespace tilescope {
namespace {

class LessonPanelTest : public RecordedPanels {
 protected:
  // High enough for a whole lesson.
  LessonPanelTest() : gui(420, 6000) {
    explorer_->panel_wanted = [this](const std::string& panel) { wanted_ = panel; };
  }

  bool open() {
    show(gui, "lesson");
    return wait_for(gui, "lesson.picker");
  }
  LessonReading& reading() { return explorer_->board().get<LessonReading>(); }
  const Lesson& lesson() { return *reading().current(); }
  /// The nth block of a kind, as its button is marked.
  template <class Block>
  std::string button(const std::string& kind, std::size_t n) {
    for (const LessonElement& element : lesson().elements) {
      if (std::holds_alternative<Block>(element.content) && n-- == 0)
        return "lesson." + kind + "." + std::to_string(element.line);
    }
    throw std::out_of_range(kind);
  }
  bool answer(const std::string& question, const std::string& text, const std::string& expected) {
    gui.double_click("lesson.answer." + question);
    gui.key(ImGuiKey_Backspace);
    gui.type(text);
    gui.click("lesson.check." + question);
    return wait_for(gui, "lesson." + expected + "." + question);
  }
  void write_lesson(const std::string& text) {
    setenv("TILESCOPE_LESSONS", scratch_.folder().c_str(), 1);
    std::ofstream(scratch_.folder() / "99_own.md") << text;
  }
  void TearDown() override {
    unsetenv("TILESCOPE_LESSONS");
    RecordedPanels::TearDown();
  }

  std::string wanted_;
  test_support::HeadlessGui gui;
};

TEST_F(LessonPanelTest, TheFirstLessonIsDoneWithTheMouse) {
  ASSERT_TRUE(open());
  ASSERT_EQ(lesson().id, "01_attention_as_two_products");
  const std::size_t all = lesson().questions().size();
  ASSERT_EQ(all, 3U);

  gui.click(button<LessonConfigure>("configure", 0));
  EXPECT_EQ(explorer_->selection().kernel().name, "naive");
  EXPECT_EQ(explorer_->selection().experiment().shape.Sk, 100);
  gui.click(button<LessonStep>("step", 0));
  const BlockStepping& stepping = explorer_->board().get<BlockStepping>();
  ASSERT_TRUE(wait_until(gui, [&] { return stepping.stop() && !stepping.is_outdated(); }));
  EXPECT_EQ(stepping.stop()->slot, stepping.stop()->slots) << "at the end";
  EXPECT_EQ(wanted_, "execution");
  gui.click(button<LessonOpen>("open", 0));
  EXPECT_EQ(wanted_, "softmax");

  gui.click("lesson.check.scores");
  EXPECT_TRUE(wait_for(gui, "lesson.verdict.scores")) << "nothing was typed";
  EXPECT_TRUE(answer("scores", "100", "verdict"));
  EXPECT_NE(reading().answer(*lesson().find_question("scores")).verdict->text.find("one row of S"),
            std::string::npos);
  EXPECT_TRUE(answer("scores", "10 000", "right"));
  EXPECT_TRUE(answer("flops", "2,560,000", "right"));
  EXPECT_EQ(reading().done(lesson()), 2U);

  gui.click(button<LessonConfigure>("configure", 1));
  EXPECT_TRUE(explorer_->selection().experiment().shape.causal);
  gui.click("lesson.hint.causal_scores");
  EXPECT_TRUE(answer("causal_scores", "5050", "right"));
  EXPECT_EQ(reading().done(lesson()), all);
  gui.click("lesson.next");
  gui.frames();
  EXPECT_EQ(lesson().id, "02_what_naive_moves");
}

TEST_F(LessonPanelTest, WhatIsDoneIsKept) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(answer("scores", "10000", "right"));
  const std::vector<std::string> kept = reading().kept();
  LessonReading next(explorer_->board());
  for (const std::string& line : kept) next.take_kept(line);
  EXPECT_EQ(next.done(lesson()), 1U);
  EXPECT_EQ(next.current()->id, lesson().id);
}

TEST_F(LessonPanelTest, ABrokenBlockIsSaidWithItsLineAndTheRestWorks) {
  write_lesson(
      "# Mine\n\n```tilescope configure\n{\"kernel\" \"naive\"}\n```\n\n```tilescope configure\n"
      "{\"kernel\": \"tiled\", \"shape\": \"1,1,50,32\"}\n```\n\n```tilescope question\n{\"id\": \"q\", "
      "\"ask\": \"Which?\", \"choices\": [\"No\", \"Yes\"], \"answer\": \"Sk == 50 ? 2 : 1\", "
      "\"sample_wrong\": \"1\"}\n```\n");
  reading().choose("99_own");
  ASSERT_TRUE(open());
  ASSERT_EQ(lesson().title, "Mine");
  EXPECT_TRUE(gui.has("lesson.problem"));
  gui.click("lesson.configure.7");
  EXPECT_EQ(explorer_->selection().kernel().name, "tiled");
  gui.click("lesson.choice.q.0");
  gui.click("lesson.check.q");
  EXPECT_TRUE(wait_for(gui, "lesson.verdict.q"));
  gui.click("lesson.choice.q.1");
  gui.click("lesson.check.q");
  EXPECT_TRUE(wait_for(gui, "lesson.right.q"));
}

TEST_F(LessonPanelTest, AFaultOfTheMuseumIsFoundAndRepairedByRunningIt) {
  const auto& all = reading().lessons();
  const auto first =
      std::ranges::find_if(all, [](const Lesson& one) { return one.id.starts_with("museum_01"); });
  ASSERT_NE(first, all.end());
  reading().choose(first->id);
  ASSERT_TRUE(open());
  const LessonMuseum* block = nullptr;
  for (const LessonElement& element : lesson().elements) {
    if (const auto* museum = std::get_if<LessonMuseum>(&element.content)) block = museum;
  }
  ASSERT_NE(block, nullptr);
  gui.click("museum.plant");
  ASSERT_TRUE(wait_for(gui, "museum.run"));
  auto& museum = explorer_->board().get<Museum>();

  museum.plant(*block, false);
  gui.click("museum.sound");
  EXPECT_TRUE(wait_for(gui, "museum.right"));

  museum.plant(*block, true);
  EXPECT_EQ(explorer_->selection().experiment().kernel, museum.find(*block)->file.string());
  gui.click("museum.sound");
  EXPECT_TRUE(wait_for(gui, "museum.wrong"));
  gui.click("museum.run");
  ASSERT_TRUE(wait_until(gui, [&] { return !museum.find(*block)->is_running; }));
  EXPECT_NE(museum.find(*block)->verdict->text.find("checkers still find a fault"), std::string::npos)
      << museum.find(*block)->verdict->text;

  std::ifstream file(museum.find(*block)->file);
  std::string line, number;
  for (int at = 1; std::getline(file, line); ++at) {
    if (line.find("block.scores(first_key);") != std::string::npos) number = std::to_string(at);
  }
  gui.click("museum.lines");
  gui.type(number);
  gui.click("museum.show");
  EXPECT_EQ(museum.find(*block)->replacement, "    block.scores(first_key);");
  museum.find(*block)->replacement += " __syncthreads();";
  gui.click("museum.replace");
  gui.click("museum.run");
  ASSERT_TRUE(wait_until(gui, [&] { return !museum.find(*block)->is_running; }));
  EXPECT_TRUE(wait_for(gui, "museum.right")) << museum.find(*block)->verdict->text;
  EXPECT_TRUE(reading().is_repaired(lesson()));
}

TEST_F(LessonPanelTest, AQuestionAboutALatencyIsUnknownWithoutAGpu) {
  write_lesson(
      "# Mine\n\n```tilescope configure\n{\"kernel\": \"tiled\", \"shape\": \"1,1,50,32\"}\n```\n"
      "```tilescope question\n{\"id\": \"q\", \"ask\": \"How long?\", \"answer\": \"latency_p50_us\", "
      "\"sample_wrong\": \"0\", \"measured\": true}\n```\n");
  reading().choose("99_own");
  ASSERT_TRUE(open());
  ASSERT_TRUE(answer("q", "1", "verdict"));
  const LessonVerdict& verdict = *reading().answer(*lesson().find_question("q")).verdict;
  if (verdict.kind == LessonVerdict::Kind::wrong) GTEST_SKIP() << "a GPU is here";
  EXPECT_NE(verdict.text.find("cannot be known here"), std::string::npos) << verdict.text;
}

}  // namespace
}  // namespace tilescope
