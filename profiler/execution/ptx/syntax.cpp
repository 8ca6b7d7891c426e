#include "profiler/execution/ptx/syntax.hpp"

#include <array>

namespace tilescope::ptx {
namespace {

struct TypeFacts {
  Type type;
  std::string_view name;
  int bytes;
};
constexpr std::array type_facts = {
    TypeFacts{Type::none, "", 0},         TypeFacts{Type::pred, "pred", 0},
    TypeFacts{Type::b8, "b8", 1},         TypeFacts{Type::b16, "b16", 2},
    TypeFacts{Type::b32, "b32", 4},       TypeFacts{Type::b64, "b64", 8},
    TypeFacts{Type::b128, "b128", 16},    TypeFacts{Type::u8, "u8", 1},
    TypeFacts{Type::u16, "u16", 2},       TypeFacts{Type::u32, "u32", 4},
    TypeFacts{Type::u64, "u64", 8},       TypeFacts{Type::s8, "s8", 1},
    TypeFacts{Type::s16, "s16", 2},       TypeFacts{Type::s32, "s32", 4},
    TypeFacts{Type::s64, "s64", 8},       TypeFacts{Type::f16, "f16", 2},
    TypeFacts{Type::f16x2, "f16x2", 4},   TypeFacts{Type::bf16, "bf16", 2},
    TypeFacts{Type::bf16x2, "bf16x2", 4}, TypeFacts{Type::tf32, "tf32", 4},
    TypeFacts{Type::f32, "f32", 4},       TypeFacts{Type::f64, "f64", 8},
};

const TypeFacts& facts(Type type) {
  return type_facts[static_cast<std::size_t>(type)];
}

}  // namespace

Type type_named(std::string_view word) {
  for (const TypeFacts& entry : type_facts) {
    if (entry.name == word) return entry.type;
  }
  return Type::none;
}
std::string_view name_of(Type type) {
  return facts(type).name;
}
int size_of(Type type) {
  return facts(type).bytes;
}
bool is_signed(Type type) {
  return type >= Type::s8 && type <= Type::s64;
}
bool is_floating(Type type) {
  return type >= Type::f16;
}

const Function* Module::find(std::string_view function) const {
  for (const Function& candidate : functions) {
    if (candidate.name == function) return &candidate;
  }
  return nullptr;
}

const std::string* Module::file_path(std::uint32_t number) const {
  for (const SourceFileName& file : files) {
    if (file.number == number) return &file.path;
  }
  return nullptr;
}

}  // namespace tilescope::ptx
