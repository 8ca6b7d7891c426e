#include "profiler/explanation/lessons/specimen.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tilescope {
namespace {

const std::string exhibit =
    "// Exhibit: it tells.\n\n/* tilescope-kernel\n{\n  \"name\": \"slow\", \"entry\": \"slow\", \"title\": "
    "\"Slow\",\n"
    "  \"card\": {\"looks\": \"bad\"},\n  \"parameters\": [{\"name\": \"FAULT\"}, {\"name\": "
    "\"WIDTH\"}]\n}\n*/\n\n"
    "__global__ void slow() {\n  if constexpr (FAULT == on) wait();\n  work();\n}\n";

LessonMuseum museum() {
  LessonMuseum museum;
  museum.configuration.kernel = "slow";
  museum.edits = {{"  if constexpr (FAULT == on) wait();\n", "  wait();\n", ""}};
  return museum;
}

TEST(Specimen, SaysNothingAboutItsFault) {
  for (const bool is_faulty : {true, false}) {
    const std::string source = specimen_source(exhibit, museum(), is_faulty);
    for (const char* word : {"FAULT", "Exhibit", "tells", "slow", "Slow", "looks"})
      EXPECT_EQ(source.find(word), std::string::npos) << word << " in\n" << source;
    EXPECT_NE(source.find("void specimen()"), std::string::npos) << source;
    EXPECT_NE(source.find("WIDTH"), std::string::npos) << source;
    EXPECT_EQ(source.find("wait()") != std::string::npos, is_faulty);
  }
}

TEST(Specimen, AnEditThatDoesNotFitIsRefused) {
  LessonMuseum wrong = museum();
  wrong.edits[0].text = "nowhere";
  EXPECT_THROW(specimen_source(exhibit, wrong, true), std::invalid_argument);
  wrong.edits.clear();
  EXPECT_THROW(specimen_source(exhibit, wrong, true), std::invalid_argument) << "FAULT is left";
}

TEST(Specimen, LinesAreReadAndReplaced) {
  EXPECT_EQ(line_range_from("57"), std::pair(std::size_t{57}, std::size_t{57}));
  EXPECT_EQ(line_range_from("57-59"), std::pair(std::size_t{57}, std::size_t{59}));
  for (const char* text : {"", "x", "0", "5-", "9-5", "5-6-7"}) EXPECT_FALSE(line_range_from(text)) << text;
  EXPECT_EQ(lines_of("a\nb\nc\n", 2, 3), "b\nc");
  EXPECT_EQ(lines_of("a\n", 5, 6), "");
  EXPECT_EQ(with_lines("a\nb\nc\n", 2, 2, "x\ny"), "a\nx\ny\nc\n");
  EXPECT_EQ(with_lines("a\nb\nc\n", 2, 3, ""), "a\n");
}

Measurement counted(std::int64_t instructions) {
  Measurement point;
  point.memory.emplace();
  point.memory->warp_instructions = instructions;
  return point;
}

TEST(Specimen, IsRepairedWhereItNeedsNoMoreThanTheSoundKernel) {
  EXPECT_EQ(why_not_repaired(counted(104), counted(100), false), "");
  EXPECT_NE(why_not_repaired(counted(106), counted(100), false), "");
  EXPECT_EQ(why_not_repaired(counted(50), counted(100), false), "") << "better is repaired, too";
  EXPECT_NE(why_not_repaired(counted(50), counted(100), true), "");
  Measurement racing = counted(100);
  racing.findings.emplace_back();
  racing.findings.back().kind = "race";
  EXPECT_NE(why_not_repaired(racing, counted(100), false).find("still find a fault"), std::string::npos);
  Measurement incorrect = counted(100);
  incorrect.status = Status::wrong_result;
  incorrect.reason = "the result is NaN";
  EXPECT_EQ(why_not_repaired(incorrect, counted(100), false), "the result is NaN");
}

}  // namespace
}  // namespace tilescope
