#include "sessions/import/csv_rows.hpp"

#include <csv.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

namespace tilescope {
namespace {

/// libcsv's parser. Lines are fed one by one, because it does not count them.
class CsvReader {
 public:
  CsvReader() {
    if (csv_init(&parser_, 0) != 0) throw std::bad_alloc();
  }
  ~CsvReader() { csv_free(&parser_); }
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  /// With its line break.
  void feed(std::string_view line, std::size_t number) {
    if (row_.fields.empty() && !is_open_) row_.line = number;
    if (csv_parse(&parser_, line.data(), line.size(), take_field, take_row, this) != line.size()) fail();
    is_open_ = parser_.quoted != 0;
  }

  std::vector<CsvRow> finish() {
    // Only here: in lines of other programs between the rows, a quote inside a field is not a fault.
    csv_set_opts(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    if (csv_fini(&parser_, take_field, take_row, this) != 0) fail();
    return std::move(rows_);
  }

 private:
  static void take_field(void* text, std::size_t size, void* reader) {
    static_cast<CsvReader*>(reader)->row_.fields.emplace_back(static_cast<const char*>(text), size);
  }
  static void take_row(int /*end*/, void* reader) {
    auto& self = *static_cast<CsvReader*>(reader);
    self.rows_.push_back(std::exchange(self.row_, {}));
  }
  [[noreturn]] void fail() {
    if (csv_error(&parser_) == CSV_EPARSE) {
      throw std::runtime_error("line " + std::to_string(row_.line) +
                               ": the quotes of a field are not closed, so the end of the file is missing: "
                               "write it again, or remove the line");
    }
    throw std::runtime_error("line " + std::to_string(row_.line) + ": " + csv_strerror(csv_error(&parser_)));
  }

  csv_parser parser_{};
  CsvRow row_;
  /// The last line ended inside quotes.
  bool is_open_ = false;
  std::vector<CsvRow> rows_;
};

}  // namespace

std::vector<CsvRow> read_csv(std::string_view text, std::size_t first_line) {
  CsvReader reader;
  for (std::size_t number = first_line; !text.empty(); ++number) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    reader.feed(text.substr(0, size), number);
    text.remove_prefix(size);
  }
  return reader.finish();
}

}  // namespace tilescope
