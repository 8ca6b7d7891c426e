#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cpp_number.hpp"
#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/kernels/cuda_source/expression_cache.hpp"
#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// Evaluates expressions of a file's host code at a place, by looking backwards for what gave each name its value. Its
/// depth and its steps are bounded.
class Evaluator {
 public:
  struct Frame;
  /// Where an expression stands: names have the values that they have before this byte in this call of a function.
  struct Place {
    const Frame* frame = nullptr;
    std::uint32_t position = 0;  ///< [byte]
  };
  /// Argument of a call in the place of the call.
  struct Bound {
    SyntaxNode value;
    Place place;
  };
  /// Call of a function or of a lambda.
  struct Frame {
    int function = -1;                      ///< index of the definition, -1 at file scope
    SyntaxNode owner;                       ///< its function_definition or lambda_expression
    const Frame* outer = nullptr;           ///< call in which a lambda was made
    bool is_bound = false;                  ///< Its caller has been looked for.
    int call_line = 0;                      ///< of a caller that was looked for: from 1, 0 if there is none
    bool is_one_of_several = false;         ///< The file calls it with other template arguments, too.
    std::map<std::string, Bound> bindings;  ///< its parameters and template parameters
  };
  enum class Reach { certain, possible, never };

  Evaluator(const SourceIndex& index, const std::map<std::string, double>& chosen, const KnownValue& known);
  /// For the file's own values alone.
  explicit Evaluator(const SourceIndex& index);

  /// Steps that an expression may take, and the steps that the last one took.
  void set_max_steps(int steps) { max_steps_ = steps; }
  int steps() const { return steps_; }
  /// Which call of a template the file's launch belongs to, where it is called with several lists of template arguments:
  /// from 0 in the order of the file, or open_instance.
  void set_instance(int instance) { instance_ = instance; }
  /// Whether there were several such lists for any function so far.
  bool has_instances() const { return has_instances_; }
  /// Place of a node of the file in a call of its function that the file makes.
  Place place_of(const SyntaxNode& node);
  /// Takes it that a node is reached: a name that a case or a comparison (==) around it holds against a number has that
  /// value from now on, where the file does not get another one from the user. Other comparisons (n <= 1024) bound what
  /// is proposed for a name.
  void assume_reached(const SyntaxNode& node, const Place& place);
  /// `axis` 0, 1, 2: a component of a dim3. `lead` begins the reason: "from the launch in line 88".
  EvaluatedNumber number(const SyntaxNode& node, const Place& place, const std::string& lead);
  EvaluatedNumber component(const SyntaxNode& node, int axis, const Place& place, const std::string& lead);
  /// An expression that is a text.
  EvaluatedNumber number(const std::string& expression, const std::string& lead);
  /// A template argument as a number or a type; as written where it is neither.
  std::string template_argument(const SyntaxNode& node, const Place& place);
  /// Members of a structure, see CudaSource::members_of.
  std::vector<SourceMember> members_of(const std::string& type);
  /// An expression that is a text, to be evaluated at any place; none if it is not one.
  SyntaxNode parsed(const std::string& expression) { return expressions_.parse(expression); }
  /// The expression with which a name is declared; none where it has none.
  SyntaxNode initializer(const std::string& name, const Place& place) const;
  /// Names of the chosen values that were asked for so far.
  const std::set<std::string>& taken() const { return taken_; }

 private:
  friend class BufferFinder;
  using Number = std::optional<CppNumber>;
  /// Name, its value and where it comes from.
  struct Fact {
    std::string name, value, expression, origin;
  };
  struct Notes {
    std::size_t facts, unknown;
  };
  class Level;

  // Expressions: evaluator.cpp.
  Number root_value(const SyntaxNode& node, const Place& place);
  Number value(const SyntaxNode& node, const Place& place);
  Number binary_value(const SyntaxNode& node, const Place& place);
  Number conditional_value(const SyntaxNode& node, const Place& place, const int* axis);
  Number subscript_value(const SyntaxNode& node, const Place& place);
  Number opaque(const SyntaxNode& node, const Place& place);
  Number ask(const std::string& name, const std::string& type);
  EvaluatedNumber finished(const SyntaxNode& node, const Number& value, const std::string& lead);
  Notes notes() const { return {facts_.size(), unknown_.size()}; }
  void restore(const Notes& notes);
  void add_fact(const Notes& before, Fact fact);

  // dim3: dim3_values.cpp.
  Number root_component(const SyntaxNode& node, int axis, const Place& place);
  Number component_value(const SyntaxNode& node, int axis, const Place& place);
  Number list_component(const SyntaxNode& list, int axis, const Place& place);
  Number named_component(const SyntaxNode& node, int axis, const Place& place);
  Number field_value(const SyntaxNode& node, const Place& place);

  // Names: named_values.cpp, parameter_values.cpp, file_values.cpp.
  struct Name {
    std::string name, field;  ///< "p", "n" of p.n
    int axis = -1;            ///< component that is wanted, or -1
  };
  Number named_value(const Name& name, const Place& place);
  Number local_value(const Name& name, const Place& place, bool& is_found);
  Number event_value(const ValueEvent& event, const Name& name, const Place& place);
  Number assigned_value(const ValueEvent& event, const Name& name, const Place& inner);
  Number parameter_value(const ValueEvent& event, const Name& name, const Place& place);
  Number bound_value(const Bound& bound, const Name& name);
  Number template_value(const Name& name, const Place& place, bool& is_found);
  Number file_value(const Name& name, const Place& place, bool& is_found);
  Number elsewhere_value(const Name& name, const Place& place, bool& is_found);
  bool is_bound_parameter(const std::string& name, const Place& place) const;
  Number enumerator_value(const ValueEvent& event);
  const ValueEvent* declaration_of(const std::string& name, const Place& place) const;
  std::string type_of(const std::string& name, const Place& place) const;
  SyntaxNode lambda_of(const std::string& name, const Place& place) const;

  // Calls: calls.cpp, callers.cpp.
  Number call_value(const SyntaxNode& node, const Place& place, const int* axis);
  Number called_value(const SyntaxNode& node, const Place& place, const int* axis, bool& is_scalar);
  Number function_value(std::size_t function, const SyntaxNode& call, const Place& place, const int* axis);
  Number lambda_value(const SyntaxNode& lambda, const SyntaxNode& call, const Place& place, const int* axis);
  Number returned_value(const SyntaxNode& owner, const Frame& frame, const int* axis);
  Number builtin_value(const std::string& name, const SyntaxNode& call, const Place& place, bool& is_builtin);
  Frame& new_frame(int function, const SyntaxNode& owner);
  Frame& frame_of_function(int function);
  void bind(Frame& frame, const SyntaxNode& parameters, const std::vector<SyntaxNode>& arguments,
            const Place& place);
  void bind_template(Frame& frame, const SyntaxNode& parameters, const SyntaxNode& call, const Place& place);
  void find_caller(Frame& frame);
  SyntaxNode find_call(Frame& frame);
  bool find_caller_through_parameter(Frame& frame);
  const Bound* binding(const Frame& frame, const std::string& name);

  // Conditions, loops and cases: reach.cpp.
  Reach reach(const SyntaxNode& node, const Place& place);
  Reach branch(const SyntaxNode& above, const SyntaxNode& inside, const Place& place);
  std::optional<bool> condition(const SyntaxNode& node, const Place& place);
  Reach case_reach(const SyntaxNode& one_case, const Place& place);
  /// A name is at most a number, or at least.
  struct Comparison {
    bool is_less = false, is_strict = false;
  };
  void assume_holds(SyntaxNode condition, bool is_true, const Place& place, int depth);
  void assume_limit(const SyntaxNode& name, const SyntaxNode& number, const Comparison& comparison,
                    const Place& place);
  double within_limits(const std::string& name, double proposed) const;
  void assume_equal(SyntaxNode name, const SyntaxNode& number, const Place& place);
  Number assumed_value(const std::string& name, const Place& place);

  // Types: types.cpp, struct_sizes.cpp.
  struct Layout {
    std::int64_t size = 0, alignment = 1;  ///< [bytes]
  };
  std::string resolved_type(const std::string& type, const Place& place);
  Number size_of(const SyntaxNode& node, const Place& place);
  Number bytes_of_type(const std::string& type, const Place& place);
  /// Where the members that are found are to be noted.
  struct MemberList {
    std::vector<SourceMember>* list = nullptr;
    std::string prefix;     ///< "position."
    std::int64_t base = 0;  ///< [bytes] of the structure from the beginning of the outermost one
  };
  std::optional<Layout> layout_of_type(const std::string& type, const Place& place, const MemberList& into);
  std::optional<Layout> layout_of_type(const std::string& type, const Place& place) {
    return layout_of_type(type, place, MemberList{});
  }
  std::optional<Layout> layout_of(const SyntaxNode& structure, const Place& place, const MemberList& into);
  bool add_bases(const SyntaxNode& structure, const Place& place, const MemberList& into, Layout& whole);
  void note_member(const SyntaxNode& member, SyntaxNode declarator, const Place& place, std::int64_t bytes,
                   const MemberList& into);
  std::optional<Layout> layout_of_member(const SyntaxNode& member, SyntaxNode declarator, const Place& place);
  bool is_type(const std::string& name) const;

  const SourceIndex& index_;
  const std::map<std::string, double>& chosen_;
  const KnownValue& known_;
  ExpressionCache expressions_;
  std::deque<Frame> frames_;
  std::map<int, Frame*> function_frames_;
  std::vector<Fact> facts_;
  std::vector<std::string> unknown_;
  int instance_ = 0;
  /// Names have the values of the file and of the user alone.
  bool without_suggestions_ = false;
  bool has_instances_ = false;
  std::set<std::string> taken_;
  struct Assumed {
    CppNumber value;
    const Frame* frame = nullptr;  ///< the call in which the name has the value
    int line = 0;                  ///< from 1, of the number that it is held against
  };
  std::map<std::string, Assumed> assumed_;
  struct Limits {
    double least = 0, most = std::numeric_limits<double>::infinity();
  };
  std::map<std::string, Limits> limits_;
  int depth_ = 0, steps_ = 0;
  int max_steps_ = 100'000;
};

}  // namespace tilescope
