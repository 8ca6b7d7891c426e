#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// A text or a file that is not a set of shapes. The message names the file, the entry and what to do.
class ShapeSetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Shapes at which the same configurations are held against each other. Without repetition, never empty.
struct ShapeSet {
  /// "canonical"; the file's name where the set has none of its own; "" for typed shapes.
  std::string name;
  std::vector<Shape> shapes;

  bool operator==(const ShapeSet&) const = default;
};

/// Sets the sizes of `shape` from "B,H,S,D": H may be "Hq/Hkv" for grouped heads, S "Sq/Sk" or "SqxSk" for queries and
/// keys of different length. Throws std::invalid_argument with what is wrong.
void read_shape_sizes(const std::string& text, Shape& shape);

/// The form that read_shape_sizes() expects, in a sentence without a full stop.
std::string shape_sizes_help();

/// "1,32/8,512/4096,128 causal bf16": sizes, then "causal", "fp16" and "bf16" in any order. Throws std::invalid_argument
/// with what is wrong.
Shape shape_from_text(const std::string& text);

/// The reverse of shape_from_text(): "1,32/8,512/4096,128 causal bf16".
std::string shape_to_text(const Shape& shape);

/// "1,8,512,64; 4,16,512,64 causal". Throws ShapeSetError.
ShapeSet typed_shape_set(const std::string& text);

/// A JSON file: {"name": .., "shapes": [..]} or the list alone. Each shape is a text as above, or an object as "shape" in
/// sessions/schema.json. Throws ShapeSetError.
ShapeSet load_shape_set(const std::filesystem::path& file);

/// Finds the shapes of --shapes: the name of a set in the folder `shipped` ("canonical"), a JSON file, or
/// typed shapes. Throws ShapeSetError.
ShapeSet find_shape_set(const std::string& text, const std::filesystem::path& shipped);

/// Headings that distinguish the shapes of a set, and the part that all of them share.
struct ShapeHeadings {
  /// "S512 D64 fp16"; "" where they share nothing, or there is one shape alone.
  std::string common;
  /// A heading for each shape: "B4 H16 causal", "not causal" where nothing else is left.
  std::vector<std::string> each;
};
ShapeHeadings shape_headings(const std::vector<Shape>& shapes);

}  // namespace tilescope
