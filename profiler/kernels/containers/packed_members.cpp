#include "profiler/kernels/containers/packed_members.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <new>
#include <system_error>

#include "profiler/kernels/containers/found_code.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<archive, int (*)(archive*)>;

[[noreturn]] void damaged(archive* reader) {
  const char* reason = archive_error_string(reader);
  throw CodeNotFound(
      fmt::format("it is an archive that cannot be unpacked, as bytes of it are wrong or missing: {}",
                  reason == nullptr ? "no reason is known" : reason));
}

Reader open_archive(const fs::path& file) {
  constexpr std::size_t block_bytes = std::size_t{1} << 20U;
  Reader reader(archive_read_new(), archive_read_free);
  if (!reader) throw std::bad_alloc();
  archive_read_support_format_zip_seekable(reader.get());
  archive_read_support_format_ar(reader.get());
  if (archive_read_open_filename(reader.get(), file.c_str(), block_bytes) != ARCHIVE_OK)
    damaged(reader.get());
  return reader;
}

/// Bytes that all members may take, and how many of them are left.
struct Budget {
  std::uint64_t all = 0;
  std::uint64_t left = 0;
};

// Counts what is really unpacked: a size in the archive may be wrong.
void unpack(archive* reader, const fs::path& file, Budget& budget, const std::function<bool()>& cancelled) {
  std::ofstream stream(file, std::ios::binary);
  for (;;) {
    const void* block = nullptr;
    std::size_t bytes = 0;
    la_int64_t offset = 0;
    if (cancelled && cancelled()) throw SearchCancelled();
    const int result = archive_read_data_block(reader, &block, &bytes, &offset);
    if (result == ARCHIVE_EOF) break;
    if (result < ARCHIVE_WARN) damaged(reader);
    if (bytes > budget.left) {
      throw CodeNotFound(fmt::format(
          "its members take more than {} MB unpacked, which is the limit: unpack it and open the library of "
          "the kernel",
          budget.all >> 20U));
    }
    budget.left -= bytes;
    stream.write(static_cast<const char*>(block), static_cast<std::streamsize>(bytes));
  }
  if (!stream.flush())
    throw std::system_error(std::make_error_code(std::errc::io_error), file.string() + " cannot be written");
}

}  // namespace

void for_each_member(const fs::path& file, const std::function<bool(const std::string&)>& wanted,
                     const std::function<void(const std::string&, const fs::path&)>& take,
                     const std::function<bool()>& cancelled, std::uint64_t max_bytes) {
  const Reader reader = open_archive(file);
  const TemporaryFolder folder;
  const fs::path unpacked = folder.path() / "member";
  Budget budget{max_bytes, max_bytes};
  archive_entry* entry = nullptr;
  for (std::size_t count = 0;; ++count) {
    if (cancelled && cancelled()) throw SearchCancelled();
    const int result = archive_read_next_header(reader.get(), &entry);
    if (result == ARCHIVE_EOF) return;
    if (result < ARCHIVE_WARN) damaged(reader.get());
    if (count >= max_members)
      throw CodeNotFound(fmt::format("it has more than {} members, which is the limit", max_members));
    const char* path = archive_entry_pathname(entry);
    const std::string name = path == nullptr ? "" : path;
    const bool is_readable =
        archive_entry_filetype(entry) != AE_IFDIR && archive_entry_is_encrypted(entry) == 0;
    if (!is_readable || !wanted(name)) continue;
    unpack(reader.get(), unpacked, budget, cancelled);
    take(name, unpacked);
  }
}

}  // namespace tilescope
