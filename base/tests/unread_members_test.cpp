#include "base/unread_members.hpp"

#include <gtest/gtest.h>

#include "base/json_reader.hpp"

namespace tilescope {
namespace {

struct Inner {
  std::int64_t known = 0;
};
void from_json(const Json& json, Inner& inner) {
  const ObjectReader object(json);
  object.required("known", inner.known);
}

UnknownMembers unknown_of(const Json& document) {
  UnreadMembers unread;
  const ObjectReader* object = new ObjectReader(document);
  Inner inner;
  std::vector<Inner> list;
  object->optional("inner", inner);
  object->required("list", list, read_list<Inner>);
  delete object;
  return unread.of(document);
}

const Json document = Json::parse(
    R"({"a": 1, "inner": {"known": 2, "b/c": [3]}, "list": [{"known": 4}, {"d": {"e": 5}, "known": 6}]})");
const Json written = Json::parse(R"({"inner": {"known": 2}, "list": [{"known": 4}, {"known": 6}]})");

TEST(UnknownMembers, AreFoundAtEveryLevelAndWrittenBack) {
  Json again = written;
  unknown_of(document).write_to(again);
  EXPECT_EQ(again["a"], 1);
  EXPECT_EQ(again["inner"]["b/c"], Json({3}));
  EXPECT_EQ(again["list"][1]["d"], Json({{"e", 5}}));
  EXPECT_FALSE(again["list"][0].contains("d"));
}

TEST(UnknownMembers, AreNoneWhereAllIsRead) {
  EXPECT_TRUE(unknown_of(written).empty());
  EXPECT_TRUE(unknown_of(Json::parse(R"({"inner": null, "list": []})")).empty()) << "null was read";
}

TEST(UnknownMembers, WithoutTheirObjectAreLeftOut) {
  Json changed = Json::parse(R"({"inner": null, "list": [{"known": 4}]})");
  unknown_of(document).write_to(changed);
  EXPECT_EQ(changed, Json::parse(R"({"inner": null, "list": [{"known": 4}], "a": 1})"));
}

TEST(UnknownMembers, DoNotReplaceWhatIsKnown) {
  Json changed = Json::parse(R"({"a": "mine", "list": []})");
  unknown_of(document).write_to(changed);
  EXPECT_EQ(changed["a"], "mine");
}

TEST(UnknownMembers, AreComparedByTheirValues) {
  EXPECT_EQ(unknown_of(document), unknown_of(Json(document)));
  Json other = document;
  other["a"] = 2;
  EXPECT_FALSE(unknown_of(document) == unknown_of(other));
  UnknownMembers both = unknown_of(document);
  both.add(unknown_of(other));
  EXPECT_EQ(both, unknown_of(document)) << "those that are there already stay";
}

TEST(UnknownMembers, BeyondTheSixtyFourthAreFoundToo) {
  Json large = written;
  for (int i = 0; i < 100; ++i) large["x" + std::to_string(i)] = i;
  Json again = written;
  unknown_of(large).write_to(again);
  EXPECT_EQ(again, large);
}

}  // namespace
}  // namespace tilescope
