#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/json.hpp"
#include "base/tests/scratch_folder.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
}

// The members of `original` that `written` has too, in the order of `written`: a newer version of the format
// adds some.
Json common(const Json& written, const Json& original) {
  if (written.is_object() && original.is_object()) {
    Json object = Json::object();
    for (const auto& [key, value] : written.items()) {
      if (original.contains(key)) object[key] = common(value, original[key]);
    }
    return object;
  }
  if (!written.is_array() || !original.is_array() || written.size() != original.size()) return written;
  Json list = Json::array();
  for (std::size_t i = 0; i < written.size(); ++i) list.push_back(common(written[i], original[i]));
  return list;
}

TEST(ExampleFiles, AreWrittenWithEveryMemberAsItWasRead) {
  const test_support::ScratchFolder folder;
  std::size_t files = 0, points = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "sessions/examples")) {
    SCOPED_TRACE(entry.path());
    const fs::path once = folder.path() / entry.path().filename();
    const fs::path twice = folder.path() / ("again_" + entry.path().filename().string());
    SessionWriter(once).write(load_session(entry.path()));
    SessionWriter(twice).write(load_session(once));
    EXPECT_TRUE(text_of(once) == text_of(twice)) << "the bytes of a session of this version change";

    const Json original = parse_json(text_of(entry.path()));
    Json written = common(parse_json(text_of(once)), original);
    written["version"] = original["version"];
    ASSERT_EQ(written.size(), original.size());
    ASSERT_EQ(written["points"].size(), original["points"].size());
    for (std::size_t i = 0; i < original["points"].size(); ++i, ++points)
      ASSERT_EQ(to_line(written["points"][i]), to_line(original["points"][i])) << "point " << i;
    EXPECT_TRUE(to_line(written) == to_line(original)) << "the members before the points";
    ++files;
  }
  EXPECT_EQ(files, 11U);
  EXPECT_GT(points, 1000U);
}

}  // namespace
}  // namespace tilescope
