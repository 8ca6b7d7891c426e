#include "sessions/session_lines.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/json.hpp"
#include "sessions/point_parser.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

/// The text that SessionWriter writes.
std::string written(const Session& session) {
  std::string folder = (std::filesystem::temp_directory_path() / "tilescope-lines-XXXXXX").string();
  EXPECT_NE(::mkdtemp(folder.data()), nullptr);
  const std::filesystem::path file = std::filesystem::path(folder) / "session.json";
  SessionWriter(file).write(session);
  std::ifstream input(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
  std::filesystem::remove_all(folder);
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SessionLines, ReadWhatTheWriterWritesInItsOrder) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    const Session session = sample::session_of(count);
    const std::optional<Session> read = read_session_lines(written(session));
    ASSERT_TRUE(read) << count;
    EXPECT_EQ(read->title, session.title);
    EXPECT_EQ(read->sources, session.sources);
    ASSERT_EQ(read->points.size(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(*read->points[i], *session.points[i]) << i;
  }
}

TEST(SessionLines, LeaveOtherLayoutsAndVersionsToTheOtherReader) {
  const std::string text = written(sample::session_of(3));
  EXPECT_TRUE(read_session_lines(text + "\n \n"));
  EXPECT_FALSE(read_session_lines(Json::parse(text).dump(2)));
  EXPECT_FALSE(read_session_lines(Json::parse(text).dump()));
  EXPECT_FALSE(read_session_lines(replaced(text, "\"version\": 3", "\"version\": 1")));
  EXPECT_FALSE(read_session_lines(replaced(text, "\"version\": 3", "\"version\": 4")));
  EXPECT_FALSE(read_session_lines(replaced(text, "tilescope-session", "other")));
  EXPECT_FALSE(read_session_lines(""));
}

TEST(SessionLines, LeaveErrorsToTheOtherReaderThatSaysWhere) {
  const std::string text = written(sample::session_of(300));
  for (const auto& [from, to] :
       {std::pair("\"status\":\"ok\"", "\"status\":\"fine\""),
        std::pair("\"status\":\"ok\"", "\"status\":ok"), std::pair("\"reason\":\"\"", "\"reason\":1e999"),
        std::pair(",\n{", "\n{"), std::pair("\n]}\n", ",\n]}\n"), std::pair("\n]}\n", "\n]}x\n"),
        std::pair("\n]}\n", "\n]"), std::pair("\"reason\":\"\"", "\"reason\":\"\",\"reason\":\"\"")}) {
    EXPECT_FALSE(read_session_lines(replaced(text, from, to))) << to;
  }
  const std::string wrong = replaced(text, "\"status\":\"ok\"", "\"status\":\"fine\"");
  try {
    parse_session(wrong, "a.json");
    FAIL();
  } catch (const SessionError& error) {
    EXPECT_NE(std::string(error.what()).find("/points/0/status"), std::string::npos) << error.what();
  }
}

TEST(PointParser, HasTheValuesAndTypesOfJsonParse) {
  PointParser parser;
  for (const char* text :
       {"{}", "[]", "null", "{\"a\":{\"b\":[1,-2,3.5,true,false,null,\"x\\u00e9\\n\"]},\"c\":\"\"}",
        "[9223372036854775807,-9223372036854775808,18446744073709551615,1e300,0.1,-0.0,2.0,1e-7]"}) {
    const Json expected = Json::parse(text);
    const Json read = parser.parse(text);
    EXPECT_EQ(read, expected) << text;
    EXPECT_EQ(read.dump(), expected.dump());
  }
  EXPECT_TRUE(parser.parse("7").is_number_unsigned());
  EXPECT_FALSE(parser.parse("-7").is_number_unsigned());
  for (const char* wrong : {"", "{", "[1,]", "{\"a\":1,\"a\":2}", "1e999", "\"\xff\"", "1 2"})
    EXPECT_THROW(parser.parse(wrong), std::exception) << wrong;
}

}  // namespace
}  // namespace tilescope
