#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/execution/ptx/syntax.hpp"

namespace tilescope::ptx {

/// The meaning of a name.
struct Meaning {
  enum class Kind : std::uint8_t {
    /// `index` into Function::registers
    reg,
    /// .v2 or .v4: `index` of the first component, the `count` of them stand one behind the other
    vector,
    /// %r<100>: `index` is the number of registers, or of vectors, each of `count` registers
    range,
    /// `index` into Module::variables
    module_variable,
    /// `index` into Function::variables
    local_variable,
    /// `index` into Function::parameters
    parameter,
    /// `index` into Function::results
    result,
    /// `index` into Module::functions
    function,
    /// a label: `index` into Function::body
    place,
    /// .branchtargets: `index` into Function::branch_tables
    table,
    /// .callprototype
    prototype,
  };
  Kind kind = Kind::reg;
  /// Type of a range's registers
  Type type = Type::none;
  std::uint32_t index = no_index;
  /// Place of its declaration.
  Position position;
  /// Depth of its scope; 0 is the module's. Set by Names.
  std::uint32_t depth = 0;
  std::uint32_t count = 1;
};

/// The names of a module by scope; an inner name shadows an outer one. Labels are separate, since they are used before
/// they are defined. Registers of a range are created when they are first used.
class Names {
 public:
  static constexpr std::uint32_t deepest_scope = 64;

  Names() { scopes_.emplace_back(); }

  void open_scope(Position where);
  /// Removes the names that the scope declared.
  void close_scope();
  std::uint32_t depth() const { return static_cast<std::uint32_t>(scopes_.size() - 1); }

  /// Declares a name. Throws PtxError for a second declaration in one scope.
  void declare(std::string_view name, const Meaning& meaning);
  /// Declares a function in the module's scope: its results are read before its name.
  void declare_in_module(std::string_view name, const Meaning& meaning);
  /// `prefix<count>`, of registers or of vectors of `components` of them
  void declare_range(std::string_view prefix, Type type, std::uint32_t count, std::uint32_t components,
                     Position position);
  /// nullptr for an unknown name. Registers of ranges are appended to `registers`. The pointer is valid until the next
  /// call.
  const Meaning* find(std::string_view name, std::vector<RegisterDeclaration>& registers);

  void declare_label(std::string_view name, const Meaning& meaning);
  const Meaning* find_label(std::string_view name) const;

 private:
  enum Group : std::uint8_t { objects, labels, ranges };
  struct Entry {
    Meaning meaning;
    std::uint32_t shadowed = no_index;  // an entry of an outer scope
  };
  struct Declared {
    std::uint32_t name;
    Group group;
  };
  struct Scope {
    std::vector<Declared> declared;
    bool has_ranges = false;
  };

  std::uint32_t number_of(std::string_view name);
  void add(std::uint32_t name, Group group, Meaning meaning, std::uint32_t depth);
  void declare(std::string_view name, Group group, const Meaning& meaning);
  [[noreturn]] void fail_second(std::string_view name, Position second, const Meaning& first) const;
  const Meaning* find_range(std::string_view name, std::size_t& prefix_length, std::uint32_t& number) const;

  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::vector<std::array<std::uint32_t, 3>> newest_;  // of a name: its entry in each group
  std::vector<Entry> entries_;
  std::vector<Scope> scopes_;
  std::uint32_t deepest_range_ = 0;
};

}  // namespace tilescope::ptx
