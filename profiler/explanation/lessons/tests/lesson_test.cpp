#include "profiler/explanation/lessons/lesson.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

template <class Content>
const Content& content(const Lesson& lesson, std::size_t element) {
  return std::get<Content>(lesson.elements.at(element).content);
}

Lesson read(const std::string& text) {
  return read_lesson(text, "/lessons/07_a_name.md");
}

const std::string configure =
    "```tilescope configure\n{\"kernel\": \"naive\", \"shape\": \"1,2,64,32\"}\n```\n";

TEST(LessonReader, ReadsTextWithItsStylesListsTablesAndCode) {
  const Lesson lesson = read(
      "# Attention\n\nA **bold** and `code` word,\nand a [link](other.md).\n\n- one\n- two\n  1. inner\n\n"
      "| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nfor (;;)\n```\n");
  EXPECT_EQ(lesson.id, "07_a_name");
  EXPECT_EQ(lesson.title, "Attention");
  ASSERT_EQ(lesson.elements.size(), 5u);
  const LessonText& text = content<LessonParagraph>(lesson, 1).text;
  EXPECT_EQ(plain_text(text), "A bold and code word, and a link.");
  EXPECT_EQ(text.at(1), (LessonSpan{LessonSpan::Style::bold, "bold", ""}));
  EXPECT_EQ(text.at(3), (LessonSpan{LessonSpan::Style::code, "code", ""}));
  EXPECT_EQ(text.at(5), (LessonSpan{LessonSpan::Style::plain, "link", "other.md"}));
  const LessonList& list = content<LessonList>(lesson, 2);
  ASSERT_EQ(list.items.size(), 3u);
  EXPECT_EQ(plain_text(list.items[1].text), "two");
  EXPECT_EQ(list.items[2].depth, 1);
  EXPECT_EQ(list.items[2].number, 1);
  const LessonTable& table = content<LessonTable>(lesson, 3);
  EXPECT_EQ(plain_text(table.header.at(1)), "b");
  EXPECT_EQ(plain_text(table.rows.at(0).at(0)), "1");
  EXPECT_EQ(content<LessonCode>(lesson, 4).text, "for (;;)\n");
  EXPECT_EQ(lesson.elements[1].line, 3u);
  EXPECT_EQ(lesson.elements[4].line, 14u);
}

TEST(LessonReader, ReadsTheBlocksAndTheConfigurationInForce) {
  const Lesson lesson =
      read(configure +
           "```tilescope open\n{\"panel\": \"source\", \"label\": \"See the line\", \"line\": 66}\n```\n"
           "```tilescope step\n{\"to\": \"tile:2\", \"inputs\": \"large_logits\"}\n```\n"
           "```tilescope question\n{\"id\": \"q\", \"ask\": \"How many?\", \"answer\": \"b_Sk\", "
           "\"sample_wrong\": \"0\","
           " \"of\": {\"a\": {\"kernel\": \"tiled\"}, \"b\": {\"shape\": \"1,2,96,32\"}}}\n```\n");
  ASSERT_EQ(lesson.elements.size(), 4u);
  EXPECT_EQ(content<LessonConfigure>(lesson, 0).configuration.shape.Sq, 64);
  EXPECT_EQ(content<LessonOpen>(lesson, 1).line, 66u);
  EXPECT_EQ(content<LessonStep>(lesson, 2).target.number, 2);
  EXPECT_EQ(content<LessonStep>(lesson, 2).inputs, StepInputs::large_logits);
  const LessonQuestion& question = content<LessonQuestion>(lesson, 3);
  EXPECT_EQ(question.of.at("a").kernel, "tiled");
  EXPECT_EQ(question.of.at("a").shape.Sk, 64) << "what is left out is as in force";
  EXPECT_EQ(question.of.at("b").kernel, "naive");
  EXPECT_EQ(question.of.at("b").shape.Sk, 96);
  EXPECT_EQ(lesson.find_question("q"), &question);
}

TEST(LessonReader, ABrokenBlockIsAProblemWithItsLineAndTheRestWorks) {
  const Lesson lesson = read(
      "# Title\n\n```tilescope configure\n{\"kernel\": \"naive\",\n \"shape\" \"1,2\"}\n```\n\nText\n\n" +
      configure +
      "```tilescope question\n{\"id\": \"q\", \"ask\": \"?\", \"answr\": \"1\", \"sample_wrong\": "
      "\"0\"}\n```\n"
      "```tilescope opn\n{}\n```\n"
      "```tilescope step\n{\"to\": \"somewhere\"}\n```\n");
  ASSERT_EQ(lesson.elements.size(), 7u);
  EXPECT_EQ(lesson.elements[1].line, 5u) << "the line of the mistake";
  EXPECT_NE(content<LessonProblem>(lesson, 1).reason.find("JSON"), std::string::npos);
  EXPECT_EQ(plain_text(content<LessonParagraph>(lesson, 2).text), "Text");
  EXPECT_EQ(content<LessonConfigure>(lesson, 3).configuration.kernel, "naive");
  EXPECT_NE(content<LessonProblem>(lesson, 4).reason.find("answer"), std::string::npos);
  EXPECT_EQ(lesson.elements[4].line, 13u);
  EXPECT_NE(content<LessonProblem>(lesson, 5).reason.find("'open'"), std::string::npos);
  EXPECT_NE(content<LessonProblem>(lesson, 6).reason.find("somewhere"), std::string::npos);
}

TEST(LessonReader, RefusesARepeatedIdAndAQuestionWithoutAConfiguration) {
  const std::string question =
      "```tilescope question\n{\"id\": \"q\", \"ask\": \"?\", \"answer\": \"1\", \"sample_wrong\": "
      "\"0\"}\n```\n";
  const Lesson lesson = read(question + configure + question + question);
  EXPECT_NE(content<LessonProblem>(lesson, 0).reason.find("configure"), std::string::npos);
  EXPECT_EQ(content<LessonQuestion>(lesson, 2).id, "q");
  EXPECT_NE(content<LessonProblem>(lesson, 3).reason.find("'q'"), std::string::npos);
}

TEST(LessonReader, FindsBrokenLinksWithTheirLines) {
  const Lesson lesson = read_lesson(
      "See [this](lesson_test.cpp), [that](missing.md)\nand [the web](https://example.org).\n\n- "
      "![x](none.png)\n",
      std::filesystem::path(TILESCOPE_SOURCE_DIR) / "profiler/explanation/lessons/tests/a.md");
  const std::vector<BrokenLink> broken = broken_links(lesson);
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_EQ(broken[0].target, "missing.md");
  EXPECT_EQ(broken[0].line, 1u);
  EXPECT_EQ(broken[1].target, "none.png");
  EXPECT_EQ(broken[1].line, 4u);
}

}  // namespace
}  // namespace tilescope
