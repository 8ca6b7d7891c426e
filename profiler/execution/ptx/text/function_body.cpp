#include "profiler/execution/ptx/text/function_body.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "profiler/execution/ptx/text/declarations.hpp"
#include "profiler/execution/ptx/text/operands.hpp"

namespace tilescope::ptx {
namespace {

using Kind = OperandSyntax::Kind;

void skip_statement(Lexer& lexer) {
  while (!lexer.take(';')) {
    if (lexer.peek().kind == Token::Kind::end) lexer.fail_expecting("';' at the end of the directive");
    lexer.take();
  }
}

class BodyReader {
 public:
  BodyReader(Reading& reading, Function& function)
      : reading_(reading), lexer_(reading.lexer), function_(function), operands_(reading, function) {}

  void read() {
    open_scope();
    while (!pending_.empty()) read_statement();
    function_.has_body = true;
  }

 private:
  // A use of a label: operand `operand` of instruction `user`, or entry `operand` of the branch table `user`.
  struct Use {
    std::string_view name;
    std::uint32_t user = 0;
    std::uint32_t operand = 0;
    bool is_of_table = false;
    Position position;
  };

  void read_statement() {
    const Token& token = lexer_.peek();
    if (token.kind == Token::Kind::identifier) {
      read_label_or_instruction();
    } else if (token.kind == Token::Kind::dotted) {
      read_directive();
    } else if (token.is('@')) {
      read_guarded();
    } else if (token.is('{')) {
      open_scope();
    } else if (token.is('}')) {
      close_scope();
    } else if (!lexer_.take(';')) {
      lexer_.fail_expecting("an instruction, a label or '}'");
    }
  }

  void open_scope() {
    reading_.names.open_scope(lexer_.peek().position);
    lexer_.expect('{', "at the start of a function");
    pending_.emplace_back();
  }

  // Labels are visible in their scope and in the scopes within.
  void close_scope() {
    lexer_.take();
    std::vector<Use> uses = std::move(pending_.back());
    pending_.pop_back();
    const std::uint32_t depth = reading_.names.depth();
    std::vector<Use> outside;
    for (const Use& use : uses) {
      const Meaning* label = reading_.names.find_label(use.name);
      if (label != nullptr && label->depth == depth) {
        resolve(use, *label);
      } else if (pending_.empty()) {
        fail(use.position,
             quoted(use.name) + " is not declared: no label, register or variable has this name");
      } else {
        outside.push_back(use);
      }
    }
    reading_.names.close_scope();
    if (!pending_.empty()) pending_.back().insert(pending_.back().end(), outside.begin(), outside.end());
  }

  void resolve(const Use& use, const Meaning& label) {
    if (use.is_of_table) {
      if (label.kind != Meaning::Kind::place)
        fail(use.position, quoted(use.name) + " is not a label of an instruction");
      function_.branch_tables[use.user][use.operand] = label.index;
      return;
    }
    OperandSyntax& operand = function_.body[use.user].operands[use.operand];
    operand.index = label.index;
    if (label.kind == Meaning::Kind::table) operand.kind = Kind::table;
    if (label.kind == Meaning::Kind::prototype) operand.kind = Kind::function;
  }

  void read_label_or_instruction() {
    const Token word = lexer_.take();
    if (!lexer_.take(':')) {
      read_instruction(word, word, no_index, false);
      return;
    }
    Meaning meaning{Meaning::Kind::place, Type::none, static_cast<std::uint32_t>(function_.body.size()),
                    word.position};
    const Token& next = lexer_.peek();
    if (next.kind == Token::Kind::dotted && next.text == ".branchtargets") {
      meaning.kind = Meaning::Kind::table;
      meaning.index = read_branch_table();
    } else if (next.kind == Token::Kind::dotted &&
               (next.text == ".callprototype" || next.text == ".calltargets")) {
      meaning.kind = Meaning::Kind::prototype;
      meaning.index = no_index;
      skip_statement(lexer_);
    }
    reading_.names.declare_label(word.text, meaning);
  }

  std::uint32_t read_branch_table() {
    lexer_.take();
    const auto table = static_cast<std::uint32_t>(function_.branch_tables.size());
    std::vector<std::uint32_t>& targets = function_.branch_tables.emplace_back();
    do {
      const Token label = lexer_.expect(Token::Kind::identifier, "a label");
      pending_.back().push_back(
          {label.text, table, static_cast<std::uint32_t>(targets.size()), true, label.position});
      targets.push_back(no_index);
    } while (lexer_.take(','));
    lexer_.expect(';', "after the labels");
    return table;
  }

  void read_guarded() {
    const Token at = lexer_.take();
    bool negated = false;
    const std::uint32_t guard = operands_.read_guard(negated);
    const Token opcode = lexer_.expect(Token::Kind::identifier, "an instruction after the guard");
    read_instruction(at, opcode, guard, negated);
  }

  void read_instruction(const Token& first, const Token& opcode, std::uint32_t guard, bool negated) {
    InstructionSyntax instruction;
    instruction.guard = guard;
    instruction.guard_negated = negated;
    instruction.location = location_;
    instruction.position = first.position;
    if (opcode.text[0] == '%') fail(opcode.position, "expected an instruction, found " + quoted(opcode.text));
    words_.assign(1, opcode.text);
    while (lexer_.peek().kind == Token::Kind::dotted) words_.push_back(lexer_.take().text.substr(1));
    instruction.words.assign(words_.begin(), words_.end());
    const bool is_call = opcode.text == "call";
    if (!lexer_.peek().is(';')) {
      do {
        read_operand(is_call);
      } while (lexer_.take(','));
    }
    lexer_.expect(';', "after the operands of " + quoted(opcode.text));
    instruction.text = lexer_.text_since(first.text.data());
    add_offsets(instruction);
    instruction.operands.assign(std::make_move_iterator(read_.begin()), std::make_move_iterator(read_.end()));
    read_.clear();
    function_.body.push_back(std::move(instruction));
  }

  // "%r1 + 4" as an operand is the sum: an add before the instruction, into a register of its own, as ptxas makes it.
  void add_offsets(const InstructionSyntax& instruction) {
    for (OperandSyntax& operand : read_) {
      if (operand.kind != Kind::reg || operand.offset == 0) continue;
      if (std::ranges::any_of(read_, [](const OperandSyntax& one) { return one.kind == Kind::label; })) {
        fail_unsupported(operand.position, "a sum as an operand beside a label");
      }
      const int bytes = size_of(function_.registers[operand.index].type);
      if (bytes != 2 && bytes != 4 && bytes != 8) {
        fail_unsupported(operand.position, "a sum with a register of another size than 16, 32 or 64 bits");
      }
      const Type type = bytes == 2 ? Type::u16 : bytes == 4 ? Type::u32 : Type::u64;
      OperandSyntax sum = operand, addend = operand;
      sum.index = static_cast<std::uint32_t>(function_.registers.size());
      sum.offset = 0;
      function_.registers.push_back({operand.name, no_index, type});
      addend.kind = Kind::integer;
      addend.bits = static_cast<std::uint64_t>(operand.offset);
      operand.offset = 0;
      InstructionSyntax add;
      add.words = {"add", name_of(type)};
      add.operands = {sum, operand, addend};
      add.guard = instruction.guard;
      add.guard_negated = instruction.guard_negated;
      add.location = instruction.location;
      add.position = instruction.position;
      add.text = instruction.text;
      function_.body.push_back(std::move(add));
      operand.index = sum.index;
    }
  }

  void read_operand(bool is_call) {
    OperandSyntax operand = operands_.read(is_call);
    if (operand.kind == Kind::label) {
      pending_.back().push_back({operand.name, static_cast<std::uint32_t>(function_.body.size()),
                                 static_cast<std::uint32_t>(read_.size()), false, operand.position});
    }
    read_.push_back(std::move(operand));
  }

  void read_directive() {
    const Token directive = lexer_.take();
    const std::string_view word = directive.text;
    if (word == ".loc") {
      location_ = reading_.lines.read_location(lexer_);
    } else if (word == ".reg") {
      read_registers(reading_, function_);
    } else if (word == ".pragma") {
      skip_statement(lexer_);
    } else if (word == ".file") {
      reading_.lines.read_file(lexer_);
    } else if (word == ".extern") {
      const Token space = lexer_.expect(Token::Kind::dotted, "'.shared' after '.extern'");
      read_local_variables(space, true);
    } else {
      read_local_variables(directive, false);
    }
  }

  void read_local_variables(const Token& directive, bool is_extern) {
    const auto space = space_of(directive.text);
    if (!space) {
      fail_unsupported(directive.position,
                       "the directive " + quoted(directive.text) + " is not known in a function");
    }
    read_variables(reading_, *space, is_extern, &function_);
  }

  Reading& reading_;
  Lexer& lexer_;
  Function& function_;
  OperandReader operands_;
  std::uint32_t location_ = no_index;
  std::vector<std::vector<Use>> pending_;  // a list for each open scope
  // For the instruction being read: kept to reuse their memory.
  std::vector<std::string_view> words_;
  std::vector<OperandSyntax> read_;
};

}  // namespace

void read_body(Reading& reading, Function& function) {
  BodyReader(reading, function).read();
}

}  // namespace tilescope::ptx
