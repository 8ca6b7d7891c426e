#include "base/json.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/regular_file.hpp"
#include "sessions/point_parser.hpp"

namespace tilescope {
namespace {

std::string repeated(const std::string& piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

std::string lists(std::size_t levels) {
  return repeated("[", levels) + repeated("]", levels);
}

std::string objects(std::size_t levels) {
  return repeated(R"({"a":)", levels) + "1" + repeated("}", levels);
}

std::string complaint(const std::string& text) {
  try {
    parse_json(text);
  } catch (const JsonError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseJson, ReadsWhatNlohmannReads) {
  for (const char* text :
       {"{}", "[1, 2.5, -3]", R"({"a": {"b": [null, true, "x[[[{{{"]}})", " 7 ", "\"\\\"[\""})
    EXPECT_EQ(parse_json(text), Json::parse(text)) << text;
}

TEST(ParseJson, TakesNestingUpToItsLimit) {
  EXPECT_EQ(parse_json(lists(json_nesting_limit)).dump(), lists(json_nesting_limit));
  EXPECT_EQ(parse_json(objects(json_nesting_limit)).dump(), objects(json_nesting_limit));
}

TEST(ParseJson, RefusesDeeperNestingWithItsPlace) {
  EXPECT_EQ(complaint("{\n\"x\": " + lists(60000) + "}"),
            "invalid JSON at line 2, column 205: nested deeper than 200 levels");
  EXPECT_NE(complaint(lists(json_nesting_limit + 1)).find("line 1, column 201: nested"), std::string::npos);
  EXPECT_NE(complaint(objects(60000)).find("nested deeper"), std::string::npos);
  EXPECT_NE(complaint(repeated("[{\"a\":", 100000)).find("nested deeper"), std::string::npos);
}

TEST(ParseJson, CountsLevelsAndNotBrackets) {
  EXPECT_NO_THROW(parse_json("[" + repeated("[[]],", 5000) + "[]]"));
  EXPECT_NO_THROW(parse_json("[\"" + repeated("[", 5000) + "\"]"));
  EXPECT_NO_THROW(parse_json("[\"" + repeated("\\\"[", 5000) + "\"]"));
}

TEST(ParseJson, SaysWhereATextIsWrong) {
  EXPECT_NE(complaint("{\"a\": 1,\n  oops}").find("invalid JSON at line 2, column 3: syntax error"),
            std::string::npos)
      << complaint("{\"a\": 1,\n  oops}");
  EXPECT_NE(complaint("").find("line 1, column 1: "), std::string::npos);
  EXPECT_EQ(complaint("oops").find("json.exception"), std::string::npos);
}

TEST(ParseJson, NamesTheMemberOfANumberThatIsTooLarge) {
  EXPECT_EQ(complaint("{\"grid\":\n [1, 1e999, 1]}"),
            "invalid JSON at line 2, column 10: /grid/1: number overflow parsing '1e999'");
  EXPECT_NE(complaint("-1e400").find("column 6: number overflow"), std::string::npos) << complaint("-1e400");
}

TEST(ParseJson, CutsALongTokenInItsComplaint) {
  const std::string text = "[\"" + repeated("\xc3\xa4", 100000);
  EXPECT_LT(complaint(text).size(), 500U);
  EXPECT_NO_THROW(Json(complaint(text)).dump());  // Still UTF-8.
}

TEST(ParseJson, ReadsAFileAndRefusesAFolder) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("tilescope-json-" + std::to_string(::getpid()));
  std::ofstream(file) << "[1, 2]";
  EXPECT_EQ(read_json_file(file), Json({1, 2}));
  EXPECT_THROW(read_json_file(file, 5), UnreadableFile);
  EXPECT_THROW(read_json_file(file.parent_path()), UnreadableFile);
  std::filesystem::remove(file);
}

TEST(PointParser, HasTheSameLimitOfNesting) {
  PointParser parser;
  EXPECT_EQ(parser.parse(lists(json_nesting_limit)).dump(), lists(json_nesting_limit));
  for (const std::size_t levels : {json_nesting_limit + 1, std::size_t{900}, std::size_t{60000}}) {
    EXPECT_THROW(parser.parse(lists(levels)), std::exception) << levels;
    EXPECT_THROW(parser.parse(objects(levels)), std::exception) << levels;
  }
}

}  // namespace
}  // namespace tilescope
