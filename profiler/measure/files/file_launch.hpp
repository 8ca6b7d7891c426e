#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/interpret/interpreted_launch.hpp"
#include "profiler/service/requests/file_subject.hpp"

namespace tilescope {

/// Part of a buffer [B].
struct TouchedPart {
  std::uint64_t first = 0, end = 0;
};
/// Parts of buffers by their names, ascending.
using TouchedParts = std::map<std::string, std::vector<TouchedPart>>;
/// Contents of whole buffers by their names.
using BufferContents = std::map<std::string, std::vector<std::byte>>;

/// A launch of a kernel of a file, as its launch file describes it.
class FileLaunch : public InterpretedLaunch {
 public:
  struct Buffer {
    /// The argument that has its address; none for a buffer of the launch file's "buffers".
    std::optional<std::size_t> argument;
    std::string name;
    Element element;
    std::uint64_t address = 0, bytes = 0;
  };

  /// Throws LaunchFileError where the launch does not fit the kernel, and std::runtime_error where it cannot be read or
  /// does not fit in memory. `touched`: the parts of large buffers, by name, that blocks of a sample touch: only they get
  /// the values of a pattern.
  FileLaunch(FileProgram file, const FileSubject& subject, TouchedParts touched = {});

  const std::vector<Buffer>& buffers() const { return buffers_; }
  const LaunchFile& file() const { return file_; }
  /// Their entries in the launch file, in the same order.
  const std::vector<LaunchBuffer>& given() const { return file_.buffers; }
  /// Buffers as a checker of the launch knows them.
  std::vector<GivenBuffer> given_buffers() const;
  /// Computes the values that formulas of the launch file give buffers. Throws LaunchFileError, and FormulaCancelled.
  void compute_expected(const std::function<bool()>& cancelled);
  /// Values by the names of buffers; a buffer that has some keeps them.
  void expect(std::map<std::string, ExpectedValues> values);
  /// Gives buffers other contents to begin with. An array of pointers keeps its own.
  void begin_with(BufferContents contents);
  /// Runs a block where several arrays of machine code share its shared memory, to name them (shared_names.hpp), and
  /// restores what it changed. Without effect where they have names, and where the launch cannot run. Throws RunCancelled.
  void place_shared_arrays(const std::function<bool()>& cancelled);
  /// Gives buffers and variables the contents again that they had before the launch.
  void restore();
  /// A note on variables that the host may set; "" for none.
  const std::string& note() const { return note_; }
  /// Bytes of a launch with other addresses for its buffers, in the order of buffers().
  static std::vector<std::byte> placed(const LaunchBytes& bytes, const std::vector<std::uint64_t>& addresses);
  /// The bytes of a buffer as they are now.
  std::string_view contents(const Buffer& buffer) const;

 private:
  FileLaunch(const std::shared_ptr<simt::Program>& program, const FileProgram& file,
             const FileSubject& subject, TouchedParts touched);
  /// Fills the memory, and the variables of `program`, which this launches.
  void place(simt::Program& program, const std::vector<ConstantVariable>& constants);
  void fill_buffers();
  void fill_pattern(const PatternFill& pattern, const Buffer& buffer);
  /// Bytes of a launch with the addresses of its buffers in their places.
  std::vector<std::byte> placed(const LaunchBytes& bytes) const;

  /// The launched one.
  std::shared_ptr<simt::Program> named_program_;
  ptx::SharedUses shared_;
  LaunchFile file_;
  std::vector<Buffer> buffers_;
  std::string note_;
  TouchedParts touched_;
  bool is_filled_ = false;
};

LaunchGeometry geometry_of(const simt::Launch& launch);

/// Calls `run`, which launches a kernel of a file. Throws LaunchFileError for a launch that no GPU accepts, and
/// std::runtime_error with a sentence where memory does not suffice.
void with_launch_errors(const std::function<void()>& run);

}  // namespace tilescope
