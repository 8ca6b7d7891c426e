#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/requests/listing.hpp"

namespace tilescope {

enum class DiffKind {
  same,
  /// Equal but for the numbers of registers, predicates and labels.
  renamed,
  /// Another instruction stands in its place.
  changed,
  /// In the left code alone.
  removed,
  /// In the right code alone.
  added,
};

/// Lines that stand beside each other: into MachineCode::lines.
struct DiffRow {
  DiffKind kind = DiffKind::same;
  /// None where the line is in the other code alone.
  std::optional<std::uint32_t> left, right;
};

struct ListingDiff {
  std::vector<DiffRow> rows;
  /// Of instructions, without labels.
  std::size_t same = 0, renamed = 0, changed = 0, removed = 0, added = 0;
  /// The first rows of stretches that differ by more than names.
  std::vector<std::uint32_t> hunks;
};

/// A line's text without the numbers of registers, predicates and labels: "@!P LDS.128 R, [R+0x10]".
std::string normalised(const std::string& text);

/// Compares two codes line by line. Addresses do not count.
ListingDiff listing_diff(const std::vector<SassLine>& left, const std::vector<SassLine>& right);
/// "600 instructions equal, 208 with other registers, 500 changed, 556 only left, 84 only right"
std::string diff_summary(const ListingDiff& diff);

/// A configuration and the machine code that it has.
struct CodeOfConfiguration {
  Configuration parameters;
  Shape shape;
  std::string sass_sha256;
};

/// Two configurations with one machine code.
struct SameCode {
  /// "This parameter changes nothing here"
  std::string title;
  /// Which, and between which values.
  std::string text;
};
/// None where the codes differ, where a hash is not known, and where no parameter differs. Says so where at least the
/// launch differs: blocks, threads or dynamic shared memory.
std::optional<SameCode> same_code(const KernelDeclaration& kernel, const DeviceModel& device,
                                  const CodeOfConfiguration& here, const CodeOfConfiguration& other);

}  // namespace tilescope
