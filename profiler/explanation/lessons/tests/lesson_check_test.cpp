#include "profiler/explanation/lessons/lesson_check.hpp"

#include <gtest/gtest.h>

#include "profiler/explanation/lessons/lesson_html.hpp"

namespace tilescope {
namespace {

/// Counts as if the kernel had read each key once.
Measurement counted(const LessonConfiguration& configuration, bool, bool) {
  Measurement point;
  point.kernel = configuration.kernel;
  point.parameters = configuration.parameters;
  point.shape = configuration.shape;
  if (configuration.kernel == "broken") {
    point.status = Status::compile_failed;
    point.reason = "it does not compile";
  } else {
    point.memory.emplace();
  }
  return point;
}

std::string steps(const LessonConfiguration&, const LessonStep& step) {
  return step.target.number == 9 ? "there is no tile 9" : "";
}

LessonCheck check(const std::string& blocks) {
  const std::string configure =
      "```tilescope configure\n{\"kernel\": \"naive\", \"shape\": \"1,2,64,32\"}\n```\n";
  return check_lesson(read_lesson("# Title\n" + configure + blocks, "/lessons/01_a.md"), {"source", "tiles"},
                      {counted, {}, {}, steps});
}

std::string question(const std::string& members) {
  return "```tilescope question\n{\"id\": \"q\", \"ask\": \"How many?\", " + members + "}\n```\n";
}

std::vector<std::string> texts(const LessonCheck& check) {
  std::vector<std::string> found;
  found.reserve(check.faults.size());
  for (const LessonRemark& remark : check.faults) found.push_back(remark.text);
  return found;
}

TEST(LessonCheck, TakesALessonWhoseBlocksRun) {
  const LessonCheck result =
      check("```tilescope open\n{\"panel\": \"tiles\"}\n```\n```tilescope step\n{\"to\": \"tile:2\"}\n```\n" +
            question("\"answer\": \"Sk\", \"sample_wrong\": \"2 * Sk\", \"wrong\": [{\"when\": \"given == "
                     "2 * Sk\", \"text\": \"Twice.\"}]"));
  EXPECT_EQ(texts(result), std::vector<std::string>{});
  EXPECT_EQ(result.blocks, 4u);
  EXPECT_EQ(result.questions, 1u);
}

TEST(LessonCheck, NamesWhatIsWrongWithItsLine) {
  const LessonCheck result = check(
      "```tilescope open\n{\"panel\": \"tile\"}\n```\n```tilescope step\n{\"to\": \"tile:9\"}\n```\n"
      "See [this](nowhere.md).\n\n" +
      question("\"answer\": \"Sk\", \"sample_wrong\": \"Sk\""));
  const std::vector<std::string> found = texts(result);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(result.faults[0].line, 5u);
  EXPECT_NE(found[0].find("there is no panel 'tile'"), std::string::npos) << found[0];
  EXPECT_NE(found[1].find("there is no tile 9"), std::string::npos) << found[1];
  EXPECT_NE(found[2].find("nowhere.md"), std::string::npos) << found[2];
  EXPECT_NE(found[3].find("sample_wrong, 64, is not judged wrong"), std::string::npos) << found[3];
}

TEST(LessonCheck, AnAnswerOutsideTheChoicesAndAMistakeThatIsRightAreFaults) {
  const auto choices =
      texts(check(question("\"answer\": \"3\", \"sample_wrong\": \"1\", \"choices\": [\"a\", \"b\"]")));
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_NE(choices[0].find("none of its 2 choices"), std::string::npos) << choices[0];
  const auto mistakes =
      texts(check(question("\"answer\": \"Sk\", \"sample_wrong\": \"1\", \"wrong\": [{\"when\": \"given > "
                           "2\", \"text\": \"?\"}]")));
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_NE(mistakes[0].find("also the mistake"), std::string::npos) << mistakes[0];
}

TEST(LessonCheck, AConfigurationThatDoesNotRunAndAnUnknownFactAreFaults) {
  const auto found = texts(check(question("\"answer\": \"no_such_fact\", \"sample_wrong\": \"1\"") +
                                 "```tilescope configure\n{\"kernel\": \"broken\"}\n```\n"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].find("no_such_fact"), std::string::npos) << found[0];
  EXPECT_NE(found[1].find("it does not compile"), std::string::npos) << found[1];
}

TEST(LessonCheck, AQuestionAboutALatencyIsNotCheckedWithoutAGpu) {
  const LessonCheck result =
      check(question("\"answer\": \"latency_p50_us\", \"sample_wrong\": \"0\", \"measured\": true"));
  EXPECT_EQ(texts(result), std::vector<std::string>{});
  ASSERT_EQ(result.not_checked.size(), 1u);
}

TEST(LessonHtml, HasTheTextThePicturesAndTheQuestions) {
  const Lesson lesson = read_lesson(
      "# A < B\n\nSome **bold** text.\n\n```tilescope configure\n{\"kernel\": \"naive\", \"shape\": "
      "\"1,2,64,32\"}\n```\n```tilescope step\n{\"to\": \"tile:2\", \"label\": \"Go on\"}\n```\n"
      "```tilescope open\n{\"panel\": \"tiles\"}\n```\n" +
          question("\"answer\": \"Sk\", \"sample_wrong\": \"0\", \"unit\": \"keys\""),
      "/lessons/01_a.md");
  std::vector<HandoutPicture> wanted;
  const std::string page = lesson_html(lesson, [&](const HandoutPicture& picture) {
    wanted.push_back(picture);
    return std::string("<svg id=\"a\"/>");
  });
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_EQ(wanted[0].panel, "execution");
  EXPECT_EQ(wanted[1].panel, "tiles");
  ASSERT_TRUE(wanted[1].step);
  EXPECT_EQ(wanted[1].step->target.number, 2);
  for (const char* words :
       {"<h1>A &lt; B</h1>", "<strong>bold</strong>", "%3Csvg id=%22a%22/%3E", "Go on", "How many?", "keys"})
    EXPECT_NE(page.find(words), std::string::npos) << words;
  EXPECT_EQ(page.find("http"), std::string::npos) << "a handout loads nothing";
}

}  // namespace
}  // namespace tilescope
