#include "profiler/views/code/linked_listing.hpp"

#include <algorithm>

#include "base/text/search.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

using Rows = std::vector<std::uint32_t>;

/// Listings as the worker makes them.
class LinkedListingTest : public test_support::ServiceTest {
 protected:
  Listing::Answer list(const std::string& kernel) {
    experiment.kernel = kernel;
    Listing::Answer answer =
        test_support::ask<Listing>(make_measure_service(installation), {experiment}, control);
    EXPECT_EQ(answer.status, Status::ok) << answer.reason;
    return answer;
  }
  static std::uint32_t row_with(const LinkedListing& listing, CodeColumn column, const std::string& text) {
    const Rows rows = find_rows(listing.lines(column), text);
    EXPECT_FALSE(rows.empty()) << text;
    return rows.empty() ? 0 : rows.front();
  }
  static bool has(const Rows& rows, std::uint32_t row) {
    return std::find(rows.begin(), rows.end(), row) != rows.end();
  }
  /// Every link can be followed back.
  static void expect_symmetric(const LinkedListing& listing) {
    std::size_t links = 0, broken = 0;
    for (const CodeColumn from : all_code_columns) {
      for (const CodeColumn to : all_code_columns) {
        for (std::size_t row = 0; row < listing.size(from); ++row) {
          for (const std::uint32_t other : listing.linked(from, row, to)) {
            ++links;
            broken += !has(listing.linked(to, other, from), static_cast<std::uint32_t>(row));
          }
        }
      }
    }
    EXPECT_GT(links, listing.size(CodeColumn::sass));
    EXPECT_EQ(broken, 0u);
  }
};

TEST_F(LinkedListingTest, LinksABarrierThroughAllThreeTexts) {
  const LinkedListing listing(list("flash_scalar"), "");
  EXPECT_EQ(listing.file(), "flash_scalar.cu");
  EXPECT_TRUE(listing.is_main_file());
  EXPECT_EQ(listing.why_unlinked(), "");
  const std::uint32_t line = row_with(listing, CodeColumn::cuda, "__syncthreads();");
  const Rows ptx = listing.linked(CodeColumn::cuda, line, CodeColumn::ptx);
  ASSERT_FALSE(ptx.empty());
  bool is_barrier = false;
  for (const std::uint32_t row : ptx)
    is_barrier |= find_in_line(listing.lines(CodeColumn::ptx)[row], "bar") != std::string::npos;
  EXPECT_TRUE(is_barrier);
  const Rows sass = listing.linked(CodeColumn::cuda, line, CodeColumn::sass);
  const auto barrier = std::find_if(sass.begin(), sass.end(), [&](std::uint32_t row) {
    return listing.lines(CodeColumn::sass)[row].starts_with("BAR.SYNC");
  });
  ASSERT_NE(barrier, sass.end());
  EXPECT_EQ(listing.cuda_row(CodeColumn::sass, *barrier), line);
  EXPECT_TRUE(has(ptx, listing.ptx_row(*barrier)));
  EXPECT_EQ(listing.linked(CodeColumn::sass, *barrier, CodeColumn::sass), Rows{*barrier});
  expect_symmetric(listing);
}

TEST_F(LinkedListingTest, AnInstructionIsOfTheLineOfItsPtx) {
  const Listing::Answer answer = list("flash_scalar");
  const LinkedListing listing(answer, "");
  std::size_t linked = 0, own_differs = 0;
  for (std::size_t row = 0; row < listing.size(CodeColumn::sass); ++row) {
    const std::uint32_t ptx = listing.ptx_row(row);
    if (ptx == LinkedListing::no_row) continue;
    const std::uint32_t line = listing.cuda_row(CodeColumn::ptx, ptx);
    if (line == LinkedListing::no_row) continue;
    ++linked;
    ASSERT_EQ(listing.cuda_row(CodeColumn::sass, row), line) << listing.label(CodeColumn::sass, row);
    const std::uint32_t places = answer.machine_code.lines[row].places;
    if (places == SassLine::no_places) continue;
    const std::vector<CodePlace>& own = answer.machine_code.places[places];
    const auto place = std::find_if(own.begin(), own.end(),
                                    [&](const CodePlace& one) { return one.file == listing.file(); });
    own_differs += place != own.end() && place->line != static_cast<std::int64_t>(line) + 1;
  }
  EXPECT_GT(linked, 1000u);
  EXPECT_GT(own_differs, 0u) << "the compiler merges lines; without that this test sees nothing";
}

TEST_F(LinkedListingTest, AnInlinedHeaderIsLinkedToTheKernelsOwnLineAndToItsOwn) {
  const Listing::Answer answer = list("mma_flash");
  const LinkedListing own(answer, "");
  const std::vector<std::string>& files = own.files();
  ASSERT_EQ(files.front(), "mma_flash.cu");
  ASSERT_NE(std::find(files.begin(), files.end(), "ldmatrix.cuh"), files.end());
  // ldmatrix stands in the header alone, and each comes from a line of the kernel's own file.
  const Rows loads = find_rows(own.lines(CodeColumn::ptx), "ldmatrix.sync");
  ASSERT_FALSE(loads.empty());
  for (const std::uint32_t row : loads) EXPECT_NE(own.cuda_row(CodeColumn::ptx, row), LinkedListing::no_row);
  expect_symmetric(own);

  const LinkedListing header = own.with_file(answer, "ldmatrix.cuh");
  EXPECT_EQ(header.file(), "ldmatrix.cuh");
  EXPECT_FALSE(header.is_main_file());
  EXPECT_EQ(header.files(), files);
  for (const std::uint32_t row : loads) {
    const std::uint32_t line = header.cuda_row(CodeColumn::ptx, row);
    ASSERT_NE(line, LinkedListing::no_row);
    std::string statement;  // its line is the last one
    for (std::uint32_t i = line - std::min(line, 4u); i <= line; ++i)
      statement += header.lines(CodeColumn::cuda)[i];
    EXPECT_NE(find_in_line(statement, "ldmatrix"), std::string::npos) << statement;
  }
  expect_symmetric(header);
}

TEST_F(LinkedListingTest, ACallIsLinkedToAllThatWasInlinedThere) {
  const LinkedListing listing(list("flash_scalar"), "");
  // A row of the machine code whose innermost line is in another function than the outermost.
  for (std::size_t row = 0; row < listing.size(CodeColumn::sass); ++row) {
    const Rows lines = listing.linked(CodeColumn::sass, row, CodeColumn::cuda);
    if (lines.size() < 2) continue;
    for (const std::uint32_t line : lines)
      EXPECT_TRUE(
          has(listing.linked(CodeColumn::cuda, line, CodeColumn::sass), static_cast<std::uint32_t>(row)));
    EXPECT_TRUE(has(lines, listing.main_link(CodeColumn::sass, row, CodeColumn::cuda)));
    EXPECT_NE(listing.places_text(CodeColumn::sass, row).find(", called in flash_scalar.cu:"),
              std::string::npos)
        << listing.places_text(CodeColumn::sass, row);
    return;
  }
  FAIL() << "nothing is inlined";
}

TEST_F(LinkedListingTest, TheHeadersOfALibraryAreNotToBeChosen) {
  const LinkedListing listing(list("cutlass_gemm"), "");
  EXPECT_EQ(listing.files(), std::vector<std::string>{"cutlass_gemm.cu"}) << "their texts are not at hand";
  const Rows mma = find_rows(listing.lines(CodeColumn::sass), "HMMA");
  ASSERT_FALSE(mma.empty());
  for (const std::uint32_t row : mma)
    EXPECT_NE(listing.cuda_row(CodeColumn::sass, row), LinkedListing::no_row) << "the kernel's own line";
}

TEST_F(LinkedListingTest, ThePtxEndsBeforeItsDebugSections) {
  const Listing::Answer answer = list("flash_scalar");
  const LinkedListing listing(answer, "");
  EXPECT_NE(answer.ptx.find(".debug_str"), std::string::npos);
  EXPECT_TRUE(find_rows(listing.lines(CodeColumn::ptx), ".debug_str").empty());
  EXPECT_FALSE(find_rows(listing.lines(CodeColumn::ptx), "ret;").empty());
}

TEST(LinkedListing, WithoutLineInfoItSaysSoAndTheMachineCodeIsStillLinkedToThePtx) {
  Listing::Answer answer;
  answer.source = SourceFile{"scale.cu", "first\nsecond\n", {}};
  answer.ptx =
      ".version 8.0\n.target sm_89\n.address_size 64\n.visible .entry scale()\n{\n\tbar.sync 0;\n\tret;\n}\n";
  answer.machine_code.lines = {{0, "BAR.SYNC 0x0", SassLine::no_places, 6},
                               {16, "EXIT", SassLine::no_places, 7},
                               {32, ".L_x_0:", SassLine::no_places, 0}};
  const LinkedListing listing(answer, "");
  EXPECT_NE(listing.why_unlinked().find("-lineinfo"), std::string::npos) << listing.why_unlinked();
  EXPECT_EQ(listing.linked(CodeColumn::sass, 0, CodeColumn::ptx), Rows{5});
  EXPECT_EQ(listing.linked(CodeColumn::ptx, 5, CodeColumn::sass), Rows{0});
  EXPECT_TRUE(listing.linked(CodeColumn::sass, 0, CodeColumn::cuda).empty());
  EXPECT_TRUE(listing.linked(CodeColumn::cuda, 0, CodeColumn::sass).empty());
  EXPECT_EQ(listing.label(CodeColumn::sass, 1), "0010");
  EXPECT_EQ(listing.label(CodeColumn::sass, 2), "") << "a label has no address of its own";
  EXPECT_EQ(listing.label(CodeColumn::cuda, 1), "2");
  EXPECT_TRUE(listing.linked(CodeColumn::cuda, 99, CodeColumn::ptx).empty());
}

TEST(LinkedListing, PtxThatIsNoneIsShownAndSaidToBe) {
  Listing::Answer answer;
  answer.ptx = "this is no PTX\nat all\n";
  const LinkedListing listing(answer, "");
  EXPECT_EQ(listing.size(CodeColumn::ptx), 2u);
  EXPECT_NE(listing.why_unlinked().find("not linked"), std::string::npos);
  EXPECT_EQ(LinkedListing().size(CodeColumn::sass), 0u);
}

}  // namespace
}  // namespace tilescope
