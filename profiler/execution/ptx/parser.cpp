#include "profiler/execution/ptx/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "profiler/execution/ptx/text/constant_expression.hpp"
#include "profiler/execution/ptx/text/declarations.hpp"
#include "profiler/execution/ptx/text/function_body.hpp"
#include "profiler/execution/ptx/text/reading.hpp"

namespace tilescope::ptx {
namespace {

// Newer targets add instructions; the common ones mean the same on each. Some targets end in "a" or "f".
constexpr std::array known_targets = {30, 32, 35, 37, 50, 52, 53,  60,  61,  62,  70,  72, 75,
                                      80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
constexpr int first_target_with_variants = 90;

// 89 for "sm_89", 90 for "sm_90a"; 0 for an unknown target.
int target_number(std::string_view target) {
  if (!target.starts_with("sm_")) return 0;
  int number = 0;
  const char* end = target.data() + target.size();
  const auto read = std::from_chars(target.data() + 3, end, number);
  if (read.ec != std::errc{} || std::ranges::find(known_targets, number) == known_targets.end()) return 0;
  const std::string_view variant(read.ptr, end);
  const bool has_variants = number >= first_target_with_variants;
  return variant.empty() || (has_variants && (variant == "a" || variant == "f")) ? number : 0;
}

class ModuleReader {
 public:
  explicit ModuleReader(Module& module) : reading_(module), module_(module), lexer_(reading_.lexer) {}

  void read() {
    read_version();
    read_target();
    while (lexer_.peek().kind != Token::Kind::end) read_directive();
    reading_.lines.finish(module_);
  }

 private:
  void read_version() {
    const Token& first = lexer_.peek();
    if (first.kind != Token::Kind::dotted || first.text != ".version") {
      lexer_.fail_expecting("'.version', which PTX begins with");
    }
    lexer_.take();
    const Token version = lexer_.expect(Token::Kind::real, "a version such as 8.7");
    const std::size_t dot = version.text.find('.');
    const char* end = version.text.data() + version.text.size();
    const auto major = std::from_chars(version.text.data(), end, module_.version_major);
    if (dot == std::string_view::npos || major.ec != std::errc{} || *major.ptr != '.') {
      fail(version.position, "expected a version such as 8.7, found " + quoted(version.text));
    }
    std::from_chars(major.ptr + 1, end, module_.version_minor);
    if (module_.version_major < 3 || module_.version_major > 9) {
      fail_unsupported(version.position, "PTX ISA " + std::string(version.text.substr(0, 20)) +
                                             " is not read here; compile for ISA 3.0 to 9.x");
    }
  }

  // ".target sm_89, debug"
  void read_target() {
    if (lexer_.peek().kind != Token::Kind::dotted || lexer_.peek().text != ".target") {
      lexer_.fail_expecting("'.target' after the version");
    }
    lexer_.take();
    const Token target = lexer_.expect(Token::Kind::identifier, "a target such as sm_89");
    module_.target_number = target_number(target.text);
    if (module_.target_number == 0) {
      fail_unsupported(target.position,
                       "the target " + quoted(target.text) +
                           " is not executed here; compile for sm_30 to sm_121, such as sm_89");
    }
    module_.target = target.text;
    while (lexer_.take(',')) {
      const Token option = lexer_.expect(Token::Kind::identifier, "an option of the target");
      if (option.text == "map_f64_to_f32")
        fail_unsupported(option.position, "double precision as single precision is not executed here");
    }
  }

  void read_directive() {
    Token directive = lexer_.expect(Token::Kind::dotted, "a directive of the module");
    bool is_extern = false;
    while (directive.text == ".visible" || directive.text == ".weak" || directive.text == ".extern" ||
           directive.text == ".common") {
      is_extern |= directive.text == ".extern";
      directive = lexer_.expect(Token::Kind::dotted, "'.entry', '.func' or a state space");
    }
    const std::string_view word = directive.text;
    if (word == ".entry" || word == ".func") {
      read_function(word == ".entry");
    } else if (const auto space = space_of(word)) {
      if (*space == Space::local || *space == Space::param) {
        fail(directive.position, quoted(word) + " can only stand in a function");
      }
      read_variables(reading_, *space, is_extern, nullptr);
    } else if (word == ".file") {
      reading_.lines.read_file(lexer_);
    } else if (word == ".section") {
      reading_.lines.read_section(lexer_);
    } else if (word == ".address_size") {
      read_address_size();
    } else if (word == ".pragma" || word == ".alias") {
      skip_statement();
    } else {
      fail_unsupported(directive.position,
                       "the directive " + quoted(word) + " is not known at the level of a module");
    }
  }

  void skip_statement() {
    while (!lexer_.take(';')) {
      if (lexer_.peek().kind == Token::Kind::end) lexer_.fail_expecting("';' at the end of the directive");
      lexer_.take();
    }
  }

  void read_address_size() {
    const Token size = lexer_.expect(Token::Kind::integer, "64 after '.address_size'");
    if (size.bits != 64) {
      fail_unsupported(size.position, "addresses of " + quoted(size.text) +
                                          " bits are not executed here; compile for 64 bits");
    }
  }

  void read_function(bool is_entry) {
    Function function;
    function.is_entry = is_entry;
    reading_.names.open_scope(lexer_.peek().position);
    while (lexer_.peek().kind == Token::Kind::dotted) skip_attribute();
    if (!is_entry && lexer_.peek().is('(')) {
      read_parameters(reading_, function, function.results, Meaning::Kind::result);
    }
    const Token name = lexer_.expect(Token::Kind::identifier, "the name of a function");
    function.name = name.text;
    function.position = name.position;
    const std::uint32_t index = declare(name);
    if (lexer_.peek().is('('))
      read_parameters(reading_, function, function.parameters, Meaning::Kind::parameter);
    while (lexer_.peek().kind == Token::Kind::dotted) read_property(function);
    if (!lexer_.take(';')) read_body(reading_, function);
    reading_.names.close_scope();
    if (!function.has_body && module_.functions[index].has_body) return;
    if (function.has_body && module_.functions[index].has_body) {
      fail(name.position, "the function " + quoted(name.text) +
                              " is defined a second time; the first is on line " +
                              std::to_string(module_.functions[index].position.line));
    }
    module_.functions[index] = std::move(function);
  }

  // A function may be declared before it is defined; both are one.
  std::uint32_t declare(const Token& name) {
    std::vector<RegisterDeclaration> none;
    const Meaning* known = reading_.names.find(name.text, none);
    if (known != nullptr && known->kind == Meaning::Kind::function) return known->index;
    const auto index = static_cast<std::uint32_t>(module_.functions.size());
    reading_.names.declare_in_module(name.text, {Meaning::Kind::function, Type::none, index, name.position});
    module_.functions.emplace_back().name = name.text;
    return index;
  }

  // ".attribute(...)" before a function's name.
  void skip_attribute() {
    const Token word = lexer_.take();
    if (word.text != ".attribute") {
      fail_unsupported(word.position, quoted(word.text) + " is not known before a function's name");
    }
    lexer_.expect('(', "after '.attribute'");
    while (!lexer_.take(')')) {
      if (lexer_.peek().kind == Token::Kind::end) lexer_.fail_expecting("')' at the end of '.attribute'");
      lexer_.take();
    }
  }

  // ".maxntid 256, 1, 1" and the like. Directives that only advise the compiler are skipped.
  void read_property(Function& function) {
    constexpr std::array<std::string_view, 7> with_numbers = {
        ".minnctapersm",      ".maxnctapersm", ".maxnreg", ".maxclusterrank",
        ".reqnctapercluster", ".maxntid",      ".reqntid"};
    constexpr std::array<std::string_view, 5> alone = {".noreturn", ".explicitcluster", ".abi_preserve",
                                                       ".abi_preserve_control", ".unified"};
    const Token word = lexer_.take();
    if (std::find(with_numbers.begin(), with_numbers.end(), word.text) != with_numbers.end()) {
      std::uint64_t product = 1;
      std::vector<std::uint32_t> numbers;
      do {
        numbers.push_back(static_cast<std::uint32_t>(read_count(
            lexer_, std::numeric_limits<std::int32_t>::max(), "a number of " + quoted(word.text))));
        product *= numbers.back();
        if (product > std::numeric_limits<std::uint32_t>::max()) {
          fail(word.position, "the numbers of " + quoted(word.text) + " are too large");
        }
      } while (lexer_.take(','));
      numbers.resize(3, 1);
      const DeclaredSize size{numbers[0], numbers[1], numbers[2]};
      if (word.text == ".reqntid") function.required_block = size;
      if (word.text == ".reqnctapercluster") function.cluster = size;
      if (word.text.ends_with("ntid")) function.max_threads = static_cast<std::uint32_t>(product);
    } else if (word.text == ".pragma") {
      skip_statement();
    } else if (std::find(alone.begin(), alone.end(), word.text) == alone.end()) {
      fail_unsupported(word.position, quoted(word.text) + " of a function is not executed here");
    }
  }

  Reading reading_;
  Module& module_;
  Lexer& lexer_;
};

}  // namespace

Module parse(std::string text) {
  Module module;
  module.text = std::make_shared<const std::string>(std::move(text));
  ModuleReader(module).read();
  return module;
}

}  // namespace tilescope::ptx
