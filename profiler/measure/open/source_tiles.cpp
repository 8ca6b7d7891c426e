#include "profiler/measure/open/source_tiles.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "profiler/kernels/cuda_source/cpp_number.hpp"
#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/measure/files/symbol_names.hpp"
#include "profiler/measure/open/added_columns.hpp"
#include "profiler/measure/open/template_arguments.hpp"
#include "profiler/measure/open/written_kernels.hpp"

namespace tilescope {
namespace {

std::string last_part(const std::string& name) {
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// "float" and "16" of "float, (int)16"; those that have commas of their own are cut.
std::vector<std::string> split(const std::string& arguments) {
  std::vector<std::string> all;
  int depth = 0;
  for (const char letter : arguments) {
    if (all.empty()) all.emplace_back();
    depth += letter == '<' || letter == '(' ? 1 : 0;
    depth -= letter == '>' || letter == ')' ? 1 : 0;
    if (letter == ',' && depth == 0) {
      all.emplace_back();
    } else if (letter != ' ' || !all.back().empty()) {
      all.back() += letter;
    }
  }
  return all;
}

std::optional<double> number_in(const std::string& argument) {
  const std::string folded = folded_arguments(argument);
  if (folded == "true" || folded == "false") return folded == "true" ? 1 : 0;
  const auto number = CppNumber::from_literal(folded);
  return number ? std::optional(number->value()) : std::nullopt;
}

class Tiles {
 public:
  Tiles(const OpenedCodes& opened, const std::string& entry, const std::map<std::string, std::string>& chosen)
      : opened_(opened),
        chosen_(chosen),
        demangled_(demangled_symbol(entry)),
        kernel_(plain_kernel_name(demangled_)),
        values_(template_values(chosen)) {
    for (std::size_t i = 0; i < opened.sources.size(); ++i) {
      for (SharedArrayDeclaration& array : opened.sources[i]->shared_arrays(values_)) {
        const bool can_grow = i == 0 && can_add_columns(opened.text, array);
        if (i > 0) array.line = 0;
        declared_.push_back({std::move(array), can_grow});
      }
    }
  }

  std::optional<SourceTile> of(const simt::SharedSymbol& symbol) const {
    std::optional<SourceTile> found;
    for (const bool in_kernel : {true, false}) {
      for (const auto& [array, can_grow] : declared_) {
        if (array.name != last_part(symbol.name) || in_kernel != (last_part(array.function) == kernel_))
          continue;
        std::optional<SourceTile> tile = tile_of(array, symbol);
        if (tile) tile->can_grow = can_grow;
        if (tile && can_grow) take_added_columns(chosen_, *tile);
        // Two functions declare arrays of one name and size, but not of one shape.
        if (tile && found && tile->counts != found->counts) return std::nullopt;
        if (tile) found = tile;
      }
      if (found) return found;
    }
    return found;
  }

 private:
  TemplateValues template_values(const std::map<std::string, std::string>& chosen) const {
    TemplateValues values;
    values.elsewhere = opened_.numbers;
    for (const auto* const texts : {&opened_.definitions, &chosen}) {
      for (const auto& [name, text] : *texts) {
        if (const auto number = number_in(text)) values.numbers[name] = *number;
      }
    }
    const std::vector<std::string> arguments = split(template_arguments_of(demangled_));
    for (const auto& source : opened_.sources) {
      for (const SourceKernel& kernel : source->kernels()) {
        if (last_part(kernel.name) != kernel_) continue;
        for (std::size_t i = 0; i < std::min(arguments.size(), kernel.template_parameters.size()); ++i)
          add(kernel.template_parameters[i].name, arguments[i], values);
        return values;
      }
    }
    return values;
  }

  static void add(const std::string& name, const std::string& argument, TemplateValues& values) {
    if (name.empty()) return;
    if (const auto number = number_in(argument)) {
      values.numbers[name] = *number;
    } else {
      values.types[name] = argument;
    }
  }

  // None where the sizes do not fit the bytes. One that is not known follows from the others.
  static std::optional<SourceTile> tile_of(const SharedArrayDeclaration& array,
                                           const simt::SharedSymbol& symbol) {
    SourceTile tile{symbol.name, symbol.offset, symbol.bytes, array.type, 0, array.sizes, {}, 0, array.line};
    std::int64_t known = array.element_bytes.value_or(1);
    std::size_t unknown = array.element_bytes ? 0 : 1;
    for (const std::optional<std::int64_t>& count : array.counts) {
      unknown += count ? 0 : 1;
      if (count && known <= tile.bytes) known *= *count;
    }
    if (unknown > 1 || known > tile.bytes || tile.bytes % known != 0) return std::nullopt;
    const std::int64_t rest = tile.bytes / known;
    if (unknown == 0 && rest != 1) return std::nullopt;
    tile.element_bytes = array.element_bytes.value_or(rest);
    for (const std::optional<std::int64_t>& count : array.counts) tile.counts.push_back(count.value_or(rest));
    return tile;
  }

  const OpenedCodes& opened_;
  const std::map<std::string, std::string>& chosen_;
  const std::string demangled_, kernel_;
  const TemplateValues values_;
  struct Declared {
    SharedArrayDeclaration array;
    bool can_grow = false;
  };
  std::vector<Declared> declared_;
};

}  // namespace

std::vector<SourceTile> source_tiles(const OpenedCodes& opened, const std::string& entry,
                                     const std::map<std::string, std::string>& chosen,
                                     const simt::Program& program) {
  std::vector<SourceTile> tiles;
  if (opened.sources.empty()) return tiles;
  const Tiles declared(opened, entry, chosen);
  for (const simt::SharedSymbol& symbol : program.shared_symbols) {
    if (symbol.bytes == 0) continue;
    if (std::optional<SourceTile> tile = declared.of(symbol)) tiles.push_back(std::move(*tile));
  }
  return tiles;
}

}  // namespace tilescope
