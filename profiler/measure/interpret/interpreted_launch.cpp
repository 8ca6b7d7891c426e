#include "profiler/measure/interpret/interpreted_launch.hpp"

#include <cstring>

#include "profiler/kernels/catalogue/tiles.hpp"
#include "profiler/measure/interpret/unwritten_rows.hpp"
#include "profiler/measure/prepare/kernel_arguments.hpp"

namespace tilescope {
namespace {

constexpr std::byte poison{poison_byte};

std::string describe(const ArgumentDeclaration& argument) {
  return argument.value.empty() ? argument.type : argument.type + " '" + argument.value + "'";
}

std::uint64_t attach_input(simt::GlobalMemory& memory, const char* name,
                           const std::vector<std::uint16_t>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  // Read-only memory is never written, but the interpreter has only one kind of pointer.
  return memory.attach(name, const_cast<std::byte*>(bytes.data()), bytes.size(), true);
}

}  // namespace

std::vector<std::byte> parameter_bytes(const simt::Program& program, const KernelDeclaration& kernel,
                                       const std::vector<std::vector<std::byte>>& arguments) {
  if (arguments.size() != program.parameters.size()) {
    throw ArgumentMismatch("the declaration lists " + std::to_string(arguments.size()) + " argument(s), " +
                           kernel.entry + " takes " + std::to_string(program.parameters.size()) +
                           ": declare those of its signature, in their order");
  }
  std::vector<std::byte> bytes(program.parameter_bytes);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const simt::KernelParameter& parameter = program.parameters[i];
    if (arguments[i].size() != parameter.bytes) {
      throw ArgumentMismatch("argument " + std::to_string(i) + ", " + describe(kernel.arguments[i]) +
                             ", has " + std::to_string(arguments[i].size()) + " B in the declaration and " +
                             std::to_string(parameter.bytes) + " B in the code of " + kernel.entry +
                             ": declare the type that its signature has");
    }
    std::memcpy(bytes.data() + parameter.offset, arguments[i].data(), arguments[i].size());
  }
  return bytes;
}

InterpretedLaunch::InterpretedLaunch(const simt::Program& program, const Prepared& kernel,
                                     const ProblemInputs& problem)
    : output_bytes_(static_cast<std::uint64_t>(problem.sizes.result_elements()) * sizeof(std::uint16_t)) {
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
      program, kernel.kernel,
      kernel_arguments(kernel.kernel, kernel.complete, kernel.shape(), kernel.device, addresses));
}

std::vector<std::uint16_t> InterpretedLaunch::output() const {
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
