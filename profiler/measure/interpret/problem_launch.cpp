#include "profiler/measure/interpret/problem_launch.hpp"

#include <cstring>
#include <utility>

#include "profiler/kernels/catalogue/tiles.hpp"
#include "profiler/measure/interpret/unwritten_rows.hpp"
#include "profiler/measure/prepare/kernel_arguments.hpp"

namespace tilescope {
namespace {

constexpr std::byte poison{poison_byte};

std::uint64_t attach_input(simt::GlobalMemory& memory, const char* name,
                           const std::vector<std::uint16_t>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  // Read-only memory is never written, but the interpreter has only one kind of pointer.
  return memory.attach(name, const_cast<std::byte*>(bytes.data()), bytes.size(), true);
}

}  // namespace

ProblemLaunch::ProblemLaunch(std::shared_ptr<const simt::Program> program, const Prepared& kernel,
                             const ProblemInputs& problem)
    : InterpretedLaunch(std::move(program)),
      output_bytes_(static_cast<std::uint64_t>(problem.sizes.result_elements()) * sizeof(std::uint16_t)),
      output_kind_(kernel.shape().dtype == DataType::bf16 ? FloatKind::bf16 : FloatKind::f16) {
  TensorAddresses addresses;
  addresses.q = attach_input(memory_, "Q", problem.inputs.q);
  addresses.k = attach_input(memory_, "K", problem.inputs.k);
  addresses.v = attach_input(memory_, "V", problem.inputs.v);
  addresses.o = output_address_ = memory_.allocate("O", output_bytes_, poison);
  addresses.lse =
      memory_.allocate("LSE", static_cast<std::uint64_t>(problem.sizes.rows()) * sizeof(float), poison);
  for (const std::int64_t bytes :
       scratch_bytes(kernel.kernel, kernel.complete, kernel.shape(), kernel.device)) {
    const std::string name = "scratch " + std::to_string(addresses.scratch.size());
    addresses.scratch.push_back(memory_.allocate(name, static_cast<std::uint64_t>(bytes)));
  }
  launch_.grid = {static_cast<std::uint32_t>(kernel.geometry.grid_x),
                  static_cast<std::uint32_t>(kernel.geometry.grid_y),
                  static_cast<std::uint32_t>(kernel.geometry.grid_z)};
  launch_.block = {static_cast<std::uint32_t>(kernel.geometry.threads), 1, 1};
  launch_.dynamic_shared_bytes = static_cast<std::uint32_t>(kernel.geometry.dynamic_shared_bytes);
  launch_.parameters = parameter_bytes(
      this->program(), kernel.kernel,
      kernel_arguments(kernel.kernel, kernel.complete, kernel.shape(), kernel.device, addresses));
}

std::vector<std::uint16_t> ProblemLaunch::output() const {
  const simt::Allocation* allocation = memory_.find(output_address_, output_bytes_);
  std::vector<std::uint16_t> values(output_bytes_ / sizeof(std::uint16_t));
  std::memcpy(values.data(), allocation->data, output_bytes_);
  return values;
}

std::string main_file(const Prepared& kernel) {
  return kernel.kernel.source_path.filename().string();
}

std::vector<NamedTile> named_tiles(const simt::Program& program, const Prepared& kernel) {
  std::vector<NamedTile> tiles;
  for (const TileRange& tile : tile_places(kernel.kernel, kernel.complete, kernel.shape(), kernel.device)) {
    tiles.push_back({tile.name, program.static_shared_bytes + static_cast<std::uint64_t>(tile.offset),
                     static_cast<std::uint64_t>(tile.bytes)});
  }
  if (tiles.empty()) return tiles;  // the tracer then names all shared memory by the symbols
  for (const simt::SharedSymbol& symbol : program.shared_symbols) {
    if (symbol.bytes > 0) tiles.push_back({symbol.name, symbol.offset, symbol.bytes});
  }
  return tiles;
}

}  // namespace tilescope
