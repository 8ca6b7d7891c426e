#include "profiler/views/code/source_diff.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace tilescope {
namespace {

MacroSource source(std::string name, std::string text, KernelMacros macros = {}) {
  return {{std::move(name), std::move(text), {}}, std::move(macros)};
}

std::vector<std::string> texts(const SourceDiff& diff, DiffKind kind) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < diff.rows.size(); ++i) {
    if (diff.rows[i].lines.kind == kind && !diff.rows[i].is_heading) found.push_back(diff.texts[i]);
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(SourceDiff, OneTextWithEqualMacrosHasNoDifference) {
  const MacroSource both = source("k.cu", "int a;\nint b;\n", {{"BLOCK", "32"}});
  const SourceDiff diff = source_diff(both, both);
  EXPECT_TRUE(diff.is_same_text());
  EXPECT_TRUE(diff.hunks.empty());
  EXPECT_EQ(diff.texts, (Texts{"k.cu", "int a;", "int b;"}));
  EXPECT_EQ(diff_summary(diff), "Equal text and equal macros");
}

TEST(SourceDiff, LinesThatNameAMacroOfAnotherValueAreMarkedButNotComments) {
  const std::string text =
      "// BLOCK rows\n#if LAYOUT == 1\nint x[BLOCK];\nint MY_BLOCK;  // of BLOCK\n#endif\nint y;\n";
  const SourceDiff diff =
      source_diff(source("k.cu", text, {{"BLOCK", "32"}, {"LAYOUT", "1"}, {"SAME", "1"}}),
                  source("k.cu", text, {{"BLOCK", "64"}, {"LAYOUT", "2"}, {"SAME", "1"}}));
  EXPECT_TRUE(diff.is_same_text());
  EXPECT_EQ(diff.macros, (std::vector<MacroDifference>{{"BLOCK", "32", "64"}, {"LAYOUT", "1", "2"}}));
  EXPECT_EQ(texts(diff, DiffKind::renamed), (Texts{"#if LAYOUT == 1", "int x[BLOCK];"}));
  EXPECT_EQ(diff.hunks, std::vector<std::uint32_t>{2});
  EXPECT_EQ(diff_summary(diff),
            "Equal text. Macros that differ: BLOCK, LAYOUT; ~ marks the 2 lines with them");
  EXPECT_EQ(left_command(diff, {"k.cu", "", {}}), "k.cu -DBLOCK=32 -DLAYOUT=1");
  EXPECT_EQ(right_command(diff, {"k.cu", "", {}}), "k.cu -DBLOCK=64 -DLAYOUT=2");
}

TEST(SourceDiff, AnEditedLineStandsUnderTheFormerOne) {
  const SourceDiff diff =
      source_diff(source("k.cu", "int a;\nint b;\nint c;\n"), source("k.cu", "int a;\nint b = 1;\nint c;\n"));
  const auto row = [&](std::size_t i) {
    const DiffRow& at = diff.rows.at(i).lines;
    return std::tuple(at.kind, at.left.value_or(99), at.right.value_or(99));
  };
  ASSERT_EQ(diff.rows.size(), 5u);
  EXPECT_TRUE(diff.rows[0].is_heading);
  EXPECT_EQ(row(1), std::tuple(DiffKind::same, 0u, 0u));
  EXPECT_EQ(row(2), std::tuple(DiffKind::removed, 1u, 99u));
  EXPECT_EQ(row(3), std::tuple(DiffKind::added, 99u, 1u));
  EXPECT_EQ(row(4), std::tuple(DiffKind::same, 2u, 2u));
  EXPECT_EQ(diff.hunks, std::vector<std::uint32_t>{2});
  EXPECT_EQ(diff_summary(diff), "2 lines equal, - 1 only in A, + 1 only in B");
  EXPECT_EQ(diff_csv(diff),
            "difference,file,line in A,line in B,text\r\nsame,k.cu,1,1,\"int a;\"\r\nonly in A,k.cu,2,,\"int "
            "b;\"\r\n"
            "only in B,k.cu,,2,\"int b = 1;\"\r\nsame,k.cu,3,3,\"int c;\"\r\n");
}

TEST(SourceDiff, KernelsOfOtherNamesAreHeldAgainstEachOther) {
  const SourceDiff diff = source_diff(source("a.cu", "int a;\nint c;\n", {{"ONLY_A", "1"}}),
                                      source("b.cu", "int b;\nint c;\n", {{"ONLY_B", "2"}}));
  EXPECT_EQ(diff.files, Texts{"a.cu | b.cu"});
  EXPECT_EQ(texts(diff, DiffKind::removed), Texts{"int a;"});
  EXPECT_EQ(texts(diff, DiffKind::added), Texts{"int b;"});
  EXPECT_EQ(left_command(diff, {"a.cu", "", {}}), "a.cu -DONLY_A=1");
  EXPECT_EQ(right_command(diff, {"b.cu", "", {}}), "b.cu -DONLY_B=2");
}

TEST(SourceDiff, HeadersThatAreEqualAreFoldedUnlessTheyNameWhatDiffers) {
  MacroSource a = source("k.cu", "int a;\n", {{"BLOCK", "32"}});
  MacroSource b = source("k.cu", "int a;\n", {{"BLOCK", "64"}});
  a.source.headers = {{"edited.cuh", "old\n"},
                      {"gone.cuh", "left\n"},
                      {"k.json", "BLOCK\n"},
                      {"quiet.cuh", "one\ntwo\n"},
                      {"uses.cuh", "int x[BLOCK];\n"}};
  b.source.headers = {{"edited.cuh", "new\n"},
                      {"fresh.cuh", "right\n"},
                      {"k.json", "BLOCK\n"},
                      {"quiet.cuh", "one\ntwo\n"},
                      {"uses.cuh", "int x[BLOCK];\n"}};
  const SourceDiff diff = source_diff(a, b);
  EXPECT_EQ(diff.texts, (Texts{"k.cu", "int a;", "edited.cuh", "old", "new", "fresh.cuh, only in B", "right",
                               "gone.cuh, only in A", "left", "k.json, equal: 1 line",
                               "quiet.cuh, equal: 2 lines", "uses.cuh", "int x[BLOCK];"}));
  EXPECT_EQ(diff.same, 5u) << "folded lines count";
  EXPECT_EQ(diff.renamed, 1u);
  EXPECT_NE(diff_csv(diff).find("equal file,quiet.cuh,,,\r\n"), std::string::npos) << diff_csv(diff);
  EXPECT_NE(diff_csv(diff).find("only in A,gone.cuh,1,,left\r\n"), std::string::npos) << diff_csv(diff);
}

TEST(SourceDiff, AnEmptyTextIsOnOneSide) {
  EXPECT_EQ(source_diff(source("k.cu", ""), source("k.cu", "int a;\n")).added, 1u);
  EXPECT_TRUE(source_diff(source("k.cu", ""), source("k.cu", "")).is_same_text());
}

}  // namespace
}  // namespace tilescope
