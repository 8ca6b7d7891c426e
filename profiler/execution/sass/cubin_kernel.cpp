#include "profiler/execution/sass/cubin_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilescope::sass {
namespace {

// More than any SM has, and than a thread can have: a greater number is a damaged file, not a kernel.
constexpr std::uint64_t most_shared_bytes = std::uint64_t{1} << 20;
constexpr std::uint32_t most_stack_bytes = 512u << 10;
constexpr std::uint32_t most_registers = 256;
constexpr std::uint32_t unknown_stack = 0xffff'ffff;
// The file names reserved shared memory by this symbol, without its size, which is the device attribute "reserved
// shared memory per block" of sm_90. No shared memory section of its cubins is smaller.
constexpr std::string_view reserved_shared_symbol = ".nv.reservedSmem.offset0";
constexpr std::uint32_t sm_90_reserved_shared_bytes = 1024;

struct NumberedParameter {
  std::uint32_t number = 0;
  KernelParameter parameter;
};

class KernelReader {
 public:
  KernelReader(const ElfFile& file, const Cubin& cubin, const std::vector<InfoAttribute>& file_info,
               std::size_t function)
      : file_(file), cubin_(cubin), file_info_(file_info), function_(cubin.functions[function]) {
    kernel_.name = function_.name;
    kernel_.function = function;
  }

  CubinKernel read() {
    if (const ElfSection* info = file_.find(".nv.info." + kernel_.name))
      kernel_.attributes = read_info(info->contents, info->name);
    for (const InfoAttribute& attribute : kernel_.attributes) read_attribute(attribute);
    read_section_header();
    for (const InfoAttribute& attribute : file_info_) read_file_attribute(attribute);
    finish_parameters();
    finish_stack();
    read_shared_memory();
    if (kernel_.registers == 0 || kernel_.registers > most_registers)
      fail(fmt::format("{} registers", kernel_.registers));
    std::sort(kernel_.exits.begin(), kernel_.exits.end());
    return std::move(kernel_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw CubinError(fmt::format("kernel {} of the cubin cannot be read: {}", kernel_.name, problem));
  }

  /// The words of an attribute, which must be at least this many.
  std::vector<std::uint32_t> words(const InfoAttribute& attribute, std::size_t least) const {
    std::vector<std::uint32_t> all = attribute.words();
    if (all.size() < least) fail(attribute_name(attribute.number) + " is too short");
    return all;
  }
  std::array<std::uint32_t, 3> three(const InfoAttribute& attribute) const {
    const std::vector<std::uint32_t> all = words(attribute, 3);
    return {all[0], all[1], all[2]};
  }
  std::uint32_t code_address(std::uint32_t address) const {
    if (address >= function_.bytes() || address % sizeof(InstructionWord) != 0)
      fail(fmt::format("there is no instruction at address 0x{:x}", address));
    return address;
  }

  void read_attribute(const InfoAttribute& attribute) {
    if (attribute.is(Attribute::max_threads)) kernel_.max_threads = three(attribute);
    if (attribute.is(Attribute::required_threads)) kernel_.required_threads = three(attribute);
    if (attribute.is(Attribute::blocks_per_cluster)) kernel_.cluster = three(attribute);
    if (attribute.is(Attribute::barrier_count)) kernel_.barriers = words(attribute, 1)[0];
    if (attribute.is(Attribute::parameter_bank)) {
      const std::uint32_t place = words(attribute, 2)[1];
      kernel_.parameter_base = place & 0xffff;
      kernel_.parameter_bytes = place >> 16;
    }
    if (attribute.is(Attribute::parameter)) add_parameter(attribute, 18);
    if (attribute.is(Attribute::large_parameter)) add_parameter(attribute, 0);
    if (attribute.is(Attribute::exit_offsets))
      for (const std::uint32_t address : attribute.words()) kernel_.exits.push_back(code_address(address));
    if (attribute.is(Attribute::indirect_branch_targets)) add_indirect_branches(attribute.words());
    if (attribute.is(Attribute::externs)) add_externs(attribute.words());
  }

  void add_parameter(const InfoAttribute& attribute, unsigned size_bit) {
    const std::vector<std::uint32_t> all = words(attribute, 3);
    const std::uint32_t bytes = size_bit == 0 ? all[2] & 0xffff : all[2] >> size_bit;
    parameters_.push_back({all[1] & 0xffff, {all[1] >> 16, bytes}});
  }

  void add_indirect_branches(const std::vector<std::uint32_t>& words) {
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t left = words.size() - at;
      const std::size_t targets = left < 3 ? 0 : words[at + 2];
      if (left < 3 || targets > left - 3) fail("an indirect branch without its targets");
      // Indirect branches of kind 1 are calls, which the compilers tried do not write.
      if (words[at + 1] == 0) {
        IndirectBranch branch{code_address(words[at]), {}};
        for (std::size_t i = 0; i < targets; ++i) branch.targets.push_back(code_address(words[at + 3 + i]));
        kernel_.indirect_branches.push_back(std::move(branch));
      }
      at += 3 + targets;
    }
  }

  void add_externs(const std::vector<std::uint32_t>& symbols) {
    for (const std::uint32_t symbol : symbols) {
      if (symbol >= cubin_.symbols.size()) fail(fmt::format("there is no symbol {}", symbol));
      kernel_.externs.push_back(symbol);
    }
  }

  /// Up to CUDA 12.9 the code section's flags hold the number of barriers, and up to sm_89 its info holds the
  /// number of registers.
  void read_section_header() {
    const ElfSection& code = *file_.find(".text." + kernel_.name);
    kernel_.registers = code.info >> 24;
    const auto barriers = static_cast<std::uint32_t>(code.flags >> 20 & 0x7f);
    if (kernel_.barriers == 0) kernel_.barriers = barriers;
    if (kernel_.barriers > 16) fail(fmt::format("{} barriers", kernel_.barriers));
  }

  /// .nv.info is about all functions, each known by its symbol.
  void read_file_attribute(const InfoAttribute& attribute) {
    const bool is_frame = attribute.is(Attribute::frame_size);
    const bool is_stack = attribute.is(Attribute::min_stack_size);
    const bool is_registers = attribute.is(Attribute::register_count);
    if (!is_frame && !is_stack && !is_registers) return;
    const std::vector<std::uint32_t> all = words(attribute, 2);
    if (all[0] >= cubin_.symbols.size()) fail(fmt::format("there is no symbol {}", all[0]));
    const CubinSymbol& symbol = cubin_.symbols[all[0]];
    if (is_frame && symbol.section == ".text." + kernel_.name)
      largest_frame_ = std::max(largest_frame_, all[1]);
    if (symbol.name != kernel_.name) return;
    if (is_stack) kernel_.stack_bytes = all[1];
    if (is_registers) kernel_.registers = all[1];
  }

  void finish_parameters() {
    std::sort(parameters_.begin(), parameters_.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto& [number, parameter] = parameters_[i];
      if (number != i) fail(fmt::format("parameter {} is missing", i));
      if (parameter.bytes > kernel_.parameter_bytes ||
          parameter.offset > kernel_.parameter_bytes - parameter.bytes)
        fail(fmt::format("parameter {} lies outside of the {} bytes of all", i, kernel_.parameter_bytes));
      kernel_.parameters.push_back(parameter);
    }
    const ConstantBank* bank = cubin_.constant_bank(0, kernel_.name);
    const std::uint64_t bank_bytes = bank == nullptr ? 0 : bank->data.bytes;
    if (kernel_.parameter_base + std::uint64_t{kernel_.parameter_bytes} > bank_bytes)
      fail(fmt::format("its parameters lie outside of the {} bytes of constant bank 0", bank_bytes));
  }

  /// A function of the kernel's section with a larger frame than the whole stack calls itself.
  void finish_stack() {
    if (!kernel_.stack_bytes) return;
    if (*kernel_.stack_bytes == unknown_stack || *kernel_.stack_bytes < largest_frame_) {
      kernel_.stack_bytes.reset();
    } else if (*kernel_.stack_bytes > most_stack_bytes) {
      fail(fmt::format("a stack of {} bytes", *kernel_.stack_bytes));
    }
  }

  void read_shared_memory() {
    const bool reserves =
        std::any_of(cubin_.symbols.begin(), cubin_.symbols.end(),
                    [](const CubinSymbol& one) { return one.name == reserved_shared_symbol; });
    if (reserves) kernel_.reserved_shared_bytes = sm_90_reserved_shared_bytes;
    const ElfSection* section = file_.find(".nv.shared." + kernel_.name);
    if (section == nullptr) return;
    const std::uint64_t reserved = kernel_.reserved_shared_bytes;
    if (section->bytes < reserved || section->bytes > most_shared_bytes)
      fail(fmt::format("{} bytes of shared memory", section->bytes));
    kernel_.static_shared_bytes = static_cast<std::uint32_t>(section->bytes - reserved);
    kernel_.shared_alignment =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(section->alignment, 1, most_shared_bytes));
    for (const CubinSymbol& symbol : cubin_.symbols)
      if (symbol.section == section->name && symbol.kind == SymbolKind::variable)
        kernel_.shared_symbols.push_back(symbol);
  }

  const ElfFile& file_;
  const Cubin& cubin_;
  const std::vector<InfoAttribute>& file_info_;
  const CubinFunction& function_;
  CubinKernel kernel_;
  std::vector<NumberedParameter> parameters_;
  std::uint32_t largest_frame_ = 0;
};

}  // namespace

CubinKernel read_kernel(const ElfFile& file, const Cubin& cubin, const std::vector<InfoAttribute>& file_info,
                        std::size_t function) {
  return KernelReader(file, cubin, file_info, function).read();
}

}  // namespace tilescope::sass
