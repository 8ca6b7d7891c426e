#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiler/service/requests/listing.hpp"

namespace tilescope {

/// The three texts of a kernel, from what was written to what runs.
enum class CodeColumn { cuda, ptx, sass };
inline constexpr std::array<CodeColumn, 3> all_code_columns = {CodeColumn::cuda, CodeColumn::ptx,
                                                               CodeColumn::sass};
/// "CUDA", "PTX", "SASS"
std::string to_words(CodeColumn column);

/// A kernel's CUDA source, PTX and machine code with their lines linked. A row is a line, counted from 0; rows of the
/// machine code are MachineCode::lines. Where an instruction's own line and its PTX's differ, the PTX decides: it is
/// what the interpreter counts and traces.
class LinkedListing {
 public:
  /// Without any text.
  LinkedListing() = default;
  /// `file` is the file that the column CUDA shows: a header by its name without folders, "" for the kernel's own.
  LinkedListing(const Listing::Answer& listing, const std::string& file);
  /// Links the listing with another file, much faster than reading it again.
  LinkedListing with_file(const Listing::Answer& listing, const std::string& file) const;

  /// "flash_scalar.cu"
  const std::string& file() const { return file_; }
  /// Whether that is the kernel's own.
  bool is_main_file() const { return is_main_file_; }
  /// Names that may be chosen: the kernel's own file, then the headers that a line of the code comes from and that are
  /// known.
  const std::vector<std::string>& files() const { return files_; }
  /// Tabs are blanks. The PTX ends before its debug sections.
  const std::vector<std::string>& lines(CodeColumn column) const {
    return column == CodeColumn::cuda ? cuda_lines_ : code_->lines[index(column)];
  }
  std::size_t size(CodeColumn column) const { return lines(column).size(); }
  /// Label before a line: its number, or the address of an instruction.
  std::string label(CodeColumn column, std::size_t row) const;

  /// The rows of `to` that a row of `from` became, or was made from, ascending; of the column itself that row alone. A
  /// call of an inlined function is linked to all that was inlined, a line of the function to each of its places.
  std::vector<std::uint32_t> linked(CodeColumn from, std::size_t row, CodeColumn to) const;
  /// The row of `to` to show for a row: for an instruction in an inlined function the function's line, not its call's.
  /// no_row where nothing is linked.
  std::uint32_t main_link(CodeColumn from, std::size_t row, CodeColumn to) const;
  static constexpr std::uint32_t no_row = 0xffff'ffff;

  /// The row of CUDA that a row is counted for: the innermost of its places in the file. no_row for none.
  std::uint32_t cuda_row(CodeColumn column, std::size_t row) const;
  /// The row of the PTX that a row of the machine code was made from; no_row for none.
  std::uint32_t ptx_row(std::size_t sass_row) const { return code_->sass_to_ptx[sass_row]; }
  /// The row of an instruction of the machine code, by its address in its function and by its line of the
  /// PTX, which distinguishes functions. no_row for none.
  std::uint32_t sass_row(std::int64_t address, std::int64_t ptx_line) const;
  /// The rows of the machine code that were made from one of the PTX.
  const std::vector<std::uint32_t>& sass_rows(std::size_t ptx_row) const {
    return code_->ptx_to_sass[ptx_row];
  }

  /// Where a row of the PTX or the machine code comes from, innermost first: "element.cuh:84, called in
  /// mma_flash.cu:312"; "" where the compiler does not say.
  std::string places_text(CodeColumn column, std::size_t row) const;

  /// Why lines are not linked: "The kernel has no line info ..."; "" where they are.
  const std::string& why_unlinked() const { return code_->why_unlinked; }

 private:
  /// Code without the parts that depend on the shown file.
  struct Code {
    /// Lines of PTX and machine code.
    std::array<std::vector<std::string>, 3> lines;
    /// [B] By row of the machine code.
    std::vector<std::uint64_t> addresses;
    /// By address and line of the PTX.
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> sass_rows;
    /// By row of PTX and of machine code: into place_lists; no_row for none.
    std::array<std::vector<std::uint32_t>, 3> places;
    std::vector<std::vector<CodePlace>> place_lists;
    std::vector<std::uint32_t> sass_to_ptx;
    std::vector<std::vector<std::uint32_t>> ptx_to_sass;
    std::string why_unlinked;

    void read_ptx(const std::string& ptx);
    void read_machine_code(const MachineCode& machine_code);
  };

  static std::size_t index(CodeColumn column) { return static_cast<std::size_t>(column); }
  std::uint32_t places_of(CodeColumn column, std::size_t row) const {
    return code_->places[index(column)][row];
  }
  void show_file(const Listing::Answer& listing, const std::string& file);
  void find_places();
  void link_cuda();
  void list_files(const Listing::Answer& listing);

  std::shared_ptr<const Code> code_ = std::make_shared<const Code>();
  std::string file_;
  bool is_main_file_ = true;
  std::vector<std::string> files_;
  std::vector<std::string> cuda_lines_;
  /// Rows of CUDA, innermost first, of each list of places.
  std::vector<std::vector<std::uint32_t>> cuda_of_places_;
  /// By row of CUDA: the rows of the other column.
  std::array<std::vector<std::vector<std::uint32_t>>, 3> from_cuda_;
};

}  // namespace tilescope
