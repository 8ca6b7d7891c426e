#include "profiler/kernels/catalogue/declaration_expressions.hpp"

#include "profiler/kernels/catalogue/expression.hpp"

namespace tilescope {
namespace {

// Walks through the expressions in the order in which Scope computes them, so that each is checked with the names that
// it may use.
class Walk {
 public:
  Walk(const KernelDeclaration& kernel, DeclarationProblems& problems)
      : kernel_(kernel), problems_(problems), check_(kernel) {}

  void names() {
    for (const NamedExpression& let : kernel_.lets) {
      const std::string place = "/let/" + let.name;
      check(place, let.expression);
      try {
        check_.define(let.name);
      } catch (const ExpressionError& error) {
        problems_.add(place, error.what());
      }
    }
    expect("/block_group", kernel_.block_group);
    check_.define("BLOCK_GROUP");
    expect("/dynamic_shared_bytes", kernel_.dynamic_shared_bytes);
    check_.define("SHARED_BYTES");
  }

  void uses() {
    for (std::size_t i = 0; i < kernel_.constraints.size(); ++i)
      expect(at("constraints", i, "expression"), kernel_.constraints[i].expression);
    for (std::size_t i = 0; i < kernel_.grid.size(); ++i)
      expect("/grid/" + std::to_string(i), kernel_.grid[i]);
    expect("/threads", kernel_.threads);
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i) {
      const ArgumentDeclaration& argument = kernel_.arguments[i];
      if (argument.type != "pointer") expect(at("arguments", i, "value"), argument.value);
      expect(at("arguments", i, "bytes"), argument.bytes);
    }
    for (std::size_t i = 0; i < kernel_.tiles.size(); ++i) {
      expect(at("tiles", i, "bytes"), kernel_.tiles[i].bytes);
      expect(at("tiles", i, "offset"), kernel_.tiles[i].offset);
      if (const auto& layout = kernel_.tiles[i].layout) {
        expect(at("tiles", i, "rows"), layout->rows);
        expect(at("tiles", i, "columns"), layout->columns);
        expect(at("tiles", i, "element_bytes"), layout->element_bytes);
        expect(at("tiles", i, "pitch"), layout->pitch);
      }
    }
  }

  // Last, because no other expression may use their names.
  void indices() {
    bool has_names = false;
    for (std::size_t i = 0; i < kernel_.tiles.size(); ++i) {
      const auto& layout = kernel_.tiles[i].layout;
      if (!layout || layout->index.empty()) continue;
      if (!has_names) define_index_names();
      has_names = true;
      expect(at("tiles", i, "index"), layout->index);
    }
  }

 private:
  void define_index_names() {
    const char* const why = " means something else in the index of a tile: choose another name";
    for (const std::string& name : index_names()) {
      for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
        const ParameterDeclaration& parameter = kernel_.parameters[i];
        if (parameter.name == name || parameter.declares(name))
          problems_.add("/parameters/" + std::to_string(i), "'" + name + "'" + why);
      }
      for (const NamedExpression& let : kernel_.lets) {
        if (let.name == name) problems_.add("/let/" + name, "'" + name + "'" + why);
      }
      check_.define(name);
    }
  }
  static std::string at(const char* list, std::size_t i, const char* key) {
    return std::string("/") + list + "/" + std::to_string(i) + "/" + key;
  }
  void expect(const std::string& place, const std::string& expression) {
    if (!expression.empty() && !problems_.has_any_at(place)) check(place, expression);
  }
  void check(const std::string& place, const std::string& expression) {
    if (const std::string why = check_.why_wrong(expression); !why.empty()) problems_.add(place, why);
  }

  const KernelDeclaration& kernel_;
  DeclarationProblems& problems_;
  ExpressionCheck check_;
};

}  // namespace

void check_expressions(const KernelDeclaration& kernel, DeclarationProblems& problems) {
  try {
    Walk walk(kernel, problems);
    walk.names();
    walk.uses();
    walk.indices();
  } catch (const ExpressionError& error) {
    problems.add("/parameters", error.what());
  }
}

}  // namespace tilescope
