#include "profiler/service/worker/protocol.hpp"
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilescope::protocol {
namespace {

struct Fed {
  std::vector<std::string> lines;
  std::vector<std::string> too_long;
};

void feed(LineSplitter& splitter, Fed& fed, std::string_view bytes) {
  splitter.feed(
      bytes, [&](std::string_view line) { fed.lines.emplace_back(line); },
      [&](std::string_view beginning) { fed.too_long.emplace_back(beginning); });
}

TEST(LineSplitter, CutsLinesWhereverTheBytesAreSplit) {
  const std::string text = "alpha\n\nbeta\r\ngamma\n";
  const std::vector<std::string> expected{"alpha", "", "beta\r", "gamma"};
  for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
    LineSplitter splitter;
    Fed fed;
    for (std::size_t at = 0; at < text.size(); at += chunk) {
      feed(splitter, fed, std::string_view(text).substr(at, chunk));
    }
    EXPECT_EQ(fed.lines, expected) << "in chunks of " << chunk;
  }
}

TEST(LineSplitter, KeepsAnUnfinishedLineForLater) {
  LineSplitter splitter;
  Fed fed;
  feed(splitter, fed, "half");
  EXPECT_TRUE(fed.lines.empty());
  feed(splitter, fed, " a line\n");
  EXPECT_EQ(fed.lines, std::vector<std::string>{"half a line"});
}

TEST(LineSplitter, DropsOnlyTheLineThatIsTooLong) {
  const std::string text = "ok\n0123456789abcdef\nafter\n12345678\n";
  for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
    LineSplitter splitter(8);
    Fed fed;
    for (std::size_t at = 0; at < text.size(); at += chunk) {
      feed(splitter, fed, std::string_view(text).substr(at, chunk));
    }
    EXPECT_EQ(fed.lines, (std::vector<std::string>{"ok", "after", "12345678"})) << "in chunks of " << chunk;
    EXPECT_EQ(fed.too_long, std::vector<std::string>{"01234567"}) << "in chunks of " << chunk;
  }
}

TEST(Messages, AreOneLineOfJsonRpc) {
  const std::string line = request(3, "measure", {{"text", "two\nlines"}});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Json message = Json::parse(line);
  EXPECT_EQ(message["jsonrpc"], "2.0");
  EXPECT_EQ(message["id"], 3);
  EXPECT_EQ(message["method"], "measure");
  EXPECT_EQ(message["params"]["text"], "two\nlines");
  EXPECT_FALSE(Json::parse(notification("cancel", {{"id", 3}})).contains("id"));
  EXPECT_EQ(Json::parse(error(nullptr, parse_error, "why"))["error"]["code"], -32700);
}

TEST(Messages, RepairTextThatIsNotUtf8) {
  const Json message = Json::parse(result(1, {{"log", "a\xff z"}}));
  EXPECT_EQ(message["result"]["log"], "a\xEF\xBF\xBD z");
}

TEST(Excerpt, IsOneQuotedPrintableLine) {
  EXPECT_EQ(excerpt("a\nb\x01"), R"("a\nb\u0001")");
  EXPECT_EQ(excerpt("0123456789", 4), "\"0123\"...");
  EXPECT_EQ(excerpt("\xff"), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace tilescope::protocol
