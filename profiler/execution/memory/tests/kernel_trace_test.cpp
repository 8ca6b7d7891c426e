#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/ptx/tests/hardware/case_compiler.hpp"
#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

// The trace of real kernels, compiled here.
namespace tilescope {
namespace {

namespace fs = std::filesystem;

class KernelTrace : public testing::Test {
 protected:
  KernelTrace() : cache_(fs::temp_directory_path() / ("tilescope_trace_" + std::to_string(::getpid()))) {
    fs::create_directories(cache_);
  }
  ~KernelTrace() override { fs::remove_all(cache_); }

  static fs::path dependencies() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    return (cache != nullptr ? fs::path(cache) : fs::path(std::getenv("HOME")) / ".cache") /
           "tilescope/dependencies";
  }
  static hardware::Case find(const std::vector<hardware::Case>& cases, const std::string& name) {
    for (const hardware::Case& one : cases) {
      if (one.name.starts_with(name)) return one;
    }
    throw std::runtime_error("no case " + name);
  }

  Traced run(const hardware::Case& one, TraceOptions options) const {
    const hardware::CaseCompiler compiler(TILESCOPE_SOURCE_DIR, dependencies(), cache_);
    const simt::Program program = ptx::build_program(ptx::parse(compiler.ptx(one.kernel)), one.kernel.entry);
    simt::GlobalMemory memory;
    simt::Launch launch = one.launch;
    for (const hardware::Case::Pointer& pointer : one.pointers) {
      const hardware::Buffer& buffer = one.buffers[pointer.buffer];
      const std::vector<std::byte> initial = buffer.initial();
      const std::uint64_t address = memory.allocate(buffer.name, initial.size());
      std::memcpy(memory.find(address, initial.size())->data, initial.data(), initial.size());
      std::memcpy(launch.parameters.data() + pointer.offset, &address, sizeof(address));
    }
    options.main_file = fs::path(one.kernel.file).filename().string();
    return trace(program, launch, memory, options);
  }

  // Makes a copy of flash_scalar without its n-th (from 0) line that contains `text`; returns that line's number.
  fs::path without_line(const std::string& text, int n, std::int64_t& line_number) const {
    std::ifstream source(fs::path(TILESCOPE_SOURCE_DIR) /
                         "profiler/execution/ptx/tests/kernels/flash_scalar_recorded.cu");
    fs::path copy = cache_ / "flash_scalar.cu";
    std::ofstream out(copy);
    std::string line;
    for (std::int64_t number = 1; std::getline(source, line); ++number) {
      if (line.find(text) != std::string::npos && n-- == 0) {
        line_number = number;
        line = "";
      }
      out << line << "\n";
    }
    return copy;
  }

  // Lines of flash_scalar.cu that contain `text`.
  static std::vector<std::int64_t> lines_with(const std::string& text) {
    std::ifstream source(fs::path(TILESCOPE_SOURCE_DIR) /
                         "profiler/execution/ptx/tests/kernels/flash_scalar_recorded.cu");
    std::vector<std::int64_t> lines;
    std::string line;
    for (std::int64_t number = 1; std::getline(source, line); ++number) {
      if (line.find(text) != std::string::npos) lines.push_back(number);
    }
    return lines;
  }

  static std::int64_t conflicts_in(const MemoryCounts& counts, const std::string& operation,
                                   std::int64_t line) {
    std::int64_t conflicts = -1;
    for (const MemorySite& site : counts.sites) {
      if (site.operation == operation && site.line == line) {
        conflicts = std::max<std::int64_t>(conflicts, 0) + site.conflicts;
      }
    }
    return conflicts;
  }

  fs::path cache_;
};

std::int64_t ldmatrix_conflicts(const MemoryCounts& counts) {
  std::int64_t conflicts = 0;
  for (const MemorySite& site : counts.sites) {
    if (site.operation == "ldmatrix") conflicts += site.conflicts;
  }
  return conflicts;
}

TEST_F(KernelTrace, PublishedGemmConflicts) {
  const auto cases = hardware::matrix_cases();
  const Traced unpadded = run(find(cases, "gemm/1024 rows of 32 bytes"), {});
  EXPECT_EQ(unpadded.run.blocks_run, 8192u);
  EXPECT_EQ(ldmatrix_conflicts(unpadded.memory), 2'097'152);
  EXPECT_EQ(unpadded.memory.shared_conflicts, 2'097'152) << "all of them are of ldmatrix";
  // One block stands for all.
  TraceOptions sampled;
  sampled.blocks = {{1234, 8192}};
  EXPECT_EQ(ldmatrix_conflicts(run(find(cases, "gemm/1024 rows of 32 bytes"), sampled).memory), 2'097'152);
  EXPECT_EQ(run(find(cases, "gemm/1024 padded"), sampled).memory.shared_conflicts, 0);
}

TEST_F(KernelTrace, FlashScalarReadsOfKConflictByLayout) {
  const auto cases = hardware::attention_cases(TILESCOPE_SOURCE_DIR);
  const std::vector<std::int64_t> lines = lines_with("(tiles.k + KeyTile::index");
  ASSERT_EQ(lines.size(), 1u);
  TraceOptions sampled;
  sampled.blocks = {{0, 16}};
  const auto conflicts = [&](const std::string& layout) {
    const hardware::Case one = find(cases, "flash_scalar/" + layout + " M32 N64 W8 V8");
    return conflicts_in(run(one, sampled).memory, "ld.shared", lines[0]);
  };
  EXPECT_GT(conflicts("row_major"), 0);
  EXPECT_EQ(conflicts("padded"), 0);
  EXPECT_EQ(conflicts("xor_swizzle"), 0);
}

TEST_F(KernelTrace, CheckersAccuseNoKernelOfTheLadder) {
  const auto cases = hardware::attention_cases(TILESCOPE_SOURCE_DIR);
  TraceOptions options;
  options.check = true;
  for (const hardware::Case& one : cases) {
    if (!one.name.starts_with("flash_scalar")) continue;
    const std::uint64_t last = one.launch.grid.count() - 1;
    options.blocks = {{0, 1}, {last, 1}};
    for (const Finding& finding : run(one, options).findings) {
      ADD_FAILURE() << one.name << ": " << finding.kind << ": " << finding.text;
    }
  }
}

TEST_F(KernelTrace, FlashScalarWithoutABarrierNamesTheTwoLines) {
  hardware::Case one =
      find(hardware::attention_cases(TILESCOPE_SOURCE_DIR), "flash_scalar/xor_swizzle M32 N64 W8");
  TraceOptions options;
  options.check = true;
  options.blocks = {{0, 1}};
  const std::vector<std::int64_t> loads = lines_with("load<KeyTile>(tiles.k"),
                                  reads = lines_with("(tiles.k + KeyTile");
  const std::vector<std::int64_t> stores = lines_with("store_packet(tile +");
  ASSERT_EQ(loads.size(), 1u);
  ASSERT_EQ(stores.size(), 1u);
  for (const int barrier : {0, 1}) {
    std::int64_t removed = 0;
    one.kernel.file = without_line("__syncthreads();", barrier, removed).string();
    ASSERT_GT(removed, 0);
    const std::vector<Finding> findings = run(one, options).findings;
    ASSERT_FALSE(findings.empty()) << "without the barrier of line " << removed;
    const bool names_both = std::ranges::any_of(findings, [&](const Finding& finding) {
      const auto has = [&](std::int64_t line) {
        return std::ranges::find(finding.lines, line) != finding.lines.end();
      };
      return finding.kind == "race" && has(stores[0]) && has(reads[0]);
    });
    std::ostringstream text;
    for (const Finding& finding : findings) text << finding.kind << ": " << finding.text << "\n";
    EXPECT_TRUE(names_both) << "without the barrier of line " << removed << ":\n" << text.str();
  }
}

TEST_F(KernelTrace, FlashScalarWithoutItsWarpBarrierRacesInOneWarp) {
  hardware::Case one =
      find(hardware::attention_cases(TILESCOPE_SOURCE_DIR), "flash_scalar/xor_swizzle M32 N64 W8");
  std::int64_t removed = 0;
  one.kernel.file = without_line("__syncwarp();", 0, removed).string();
  ASSERT_GT(removed, 0);
  TraceOptions options;
  options.check = true;
  options.blocks = {{0, 1}};
  const std::vector<Finding> findings = run(one, options).findings;
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.kind, "race");
    EXPECT_NE(finding.text.find("__syncwarp()"), std::string::npos) << finding.text;
  }
}

}  // namespace
}  // namespace tilescope
