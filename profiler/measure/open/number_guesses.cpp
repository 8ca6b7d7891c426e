#include "profiler/measure/open/number_guesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>

namespace tilescope {
namespace {

// Values for names in lower case without underscores. Sizes are small, since the interpreter executes every lane, and
// they divide by the usual tiles, since many kernels have no guard.
struct Convention {
  std::initializer_list<std::string_view> names;
  double value = 0;
  const char* what = "";
};

constexpr double head_dimension = 64, usual_size = 256;

const std::array conventions = {
    Convention{{"n",       "m",        "k",          "size",        "rows",       "cols",      "nrows",
                "ncols",   "numrows",  "numcols",    "width",       "height",     "w",         "h",
                "row",     "col",      "dim",        "hidden",      "hiddensize", "hiddendim", "dmodel",
                "embdim",  "features", "infeatures", "outfeatures", "ncolumns",   "columns",   "rowsize",
                "stride0", "x",        "y",          "nx",          "ny"},
               usual_size,
               "a size"},
    Convention{
        {"numel", "nelements", "numelements", "total", "totalelements", "length", "len", "count", "nelem",
         "elements", "totalthreads", "num", "nvalues", "totalsize", "arraysize", "datasize", "vectorsize"},
        65536,
        "a number of elements"},
    Convention{{"b", "bs", "batch", "batchsize", "bsz", "nbatch", "numbatches", "batches", "groups",
                "ngroups", "numgroups"},
               2,
               "a batch size"},
    Convention{{"nh", "heads", "numheads", "nheads", "hq", "qheads", "numqheads", "numqoheads"},
               4,
               "a number of heads"},
    Convention{{"hkv", "hk", "kvheads", "numkvheads", "nkvheads"}, 2, "a number of key heads"},
    Convention{{"t",      "s",       "l",          "seq",       "seqlen", "seqlength", "sequencelength",
                "sq",     "sk",      "seqlenq",    "seqlenk",   "nctx",   "ctxlen",    "numtokens",
                "tokens", "ntokens", "contextlen", "maxseqlen", "kvlen",  "qlen"},
               256,
               "a sequence length"},
    Convention{{"d", "hd", "hs", "headdim", "headsize", "dk", "dv", "dhead", "rotarydim"},
               head_dimension,
               "a head dimension"},
    Convention{{"c", "channels", "inchannels", "outchannels", "cin", "cout", "ic", "oc", "nchannels"},
               64,
               "a number of channels"},
    Convention{{"v", "vocab", "vocabsize", "nclasses", "classes", "numclasses"}, 1024, "a number of classes"},
    Convention{{"ksize", "kernelsize", "kh", "kw", "filtersize", "maskwidth", "r"}, 3, "a filter's size"},
    Convention{{"halo", "halowidth", "ghost", "radius", "border", "pyramidheight"}, 1, "a border"},
    Convention{
        {"packsize", "packedelems", "packnum", "vecsize", "vectorwidth", "elemsperthread", "packelems"},
        2,
        "a number of elements that are moved together"},
    Convention{{"pad", "padding", "dilation", "strideh", "stridew", "padh", "padw", "stride"}, 1, "a step"},
    Convention{
        {"iters", "niter", "numiters", "iterations", "steps", "nsteps", "repeat", "repeats", "loops", "reps"},
        4,
        "a number of rounds"},
    Convention{{"offset", "start", "begin", "seed", "shift", "base", "pos", "startpos", "layer", "layerid",
                "rank", "idx", "index", "id", "step"},
               0,
               "a start"},
};

const std::array real_conventions = {
    Convention{{"scale", "softmaxscale", "smscale", "attnscale", "scaling", "invsqrtd", "qkscale"},
               0.125,
               "a softmax scale, 1/sqrt(64),"},
    Convention{{"eps", "epsilon"}, 1e-5, "an epsilon"},
    Convention{{"alpha", "gain"}, 1, "a factor"},
    Convention{{"beta"}, 0, "a factor of the former result"},
    Convention{{"p", "dropout", "pdropout", "dropoutp"}, 0, "a dropout probability"},
    Convention{{"lr", "learningrate", "momentum", "weightdecay", "decay"}, 0.01, "a rate"},
    Convention{{"base", "theta", "ropetheta", "ropebase"}, 10000, "a rotary base"},
};

std::string folded(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    if (letter != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

template <std::size_t count>
const Convention* find(const std::array<Convention, count>& all, std::string_view name) {
  const auto found = std::ranges::find_if(all, [&](const Convention& convention) {
    return std::ranges::find(convention.names, name) != convention.names.end();
  });
  return found == all.end() ? nullptr : &*found;
}

bool is_switch(std::string_view name) {
  return name.starts_with("is") || name.starts_with("use") || name.starts_with("has") || name == "causal" ||
         name.starts_with("do") || name.starts_with("enable");
}

SuggestedNumber suggested(const Convention& convention) {
  return {convention.value, fmt::format("{} by its name", convention.what)};
}

// The part of a stride's name that says of what and along which axis: "am" of "stride_am", "a_m" ...; "" for another
// name.
std::string axis_of_stride(std::string_view name) {
  const std::string text = folded(name);
  for (const std::string_view before : {"stride", "strides"}) {
    if (text.starts_with(before) && text.size() > before.size() && text.size() <= before.size() + 3)
      return text.substr(before.size());
  }
  return text.ends_with("stride") && text.size() == 8 ? text.substr(0, 2) : "";
}

// Value of the size with a letter's name: "m" -> M.
std::optional<double> size_named(const std::vector<KnownParameter>& parameters,
                                 const std::vector<std::optional<SuggestedNumber>>& values, char letter) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string name = folded(parameters[i].name);
    if (values[i] && (name == std::string(1, letter) || name == std::string("n") + letter))
      return values[i]->value;
  }
  return std::nullopt;
}

// The axis behind one whose stride alone is given: A is [M, K], B [K, N] and C [M, N]; 0 for another array.
char axis_behind(const std::string& array, char axis) {
  if (array == "a") return axis == 'm' ? 'k' : 0;
  if (array == "b") return axis == 'k' ? 'n' : 0;
  return array == "c" && axis == 'm' ? 'n' : 0;
}

/// Strides of one array, by the axes in their names.
struct StridedArray {
  /// Into the parameters, the outermost first.
  std::vector<std::size_t> axes;
  /// The last axis, whose stride of 1 is not a parameter; 0 where it is the last of `axes`.
  char last = 0;
  bool has_last_axis_elsewhere = false;
};

// A row-major array: along the last axis 1, along another one the product of the sizes behind it.
void suggest_axes(const std::vector<KnownParameter>& parameters, const StridedArray& array, double last_size,
                  std::vector<std::optional<SuggestedNumber>>& values) {
  double stride = 1;
  const auto step = [&](char letter, bool is_last) {
    stride *= size_named(parameters, values, letter).value_or(is_last ? last_size : 256);
  };
  if (array.has_last_axis_elsewhere) step(array.last, true);
  for (std::size_t i = array.axes.size(); i-- > 0;) {
    const std::size_t axis = array.axes[i];
    values[axis] = SuggestedNumber{stride, "the stride of a contiguous array, rows after each other"};
    step(axis_of_stride(parameters[axis].name).back(),
         i + 1 == array.axes.size() && !array.has_last_axis_elsewhere);
  }
}

// The arrays whose strides are guessed, by the letters of their names.
std::map<std::string, StridedArray> strided_arrays(const std::vector<KnownParameter>& parameters,
                                                   const std::vector<bool>& is_guess,
                                                   const CompiledIn& compiled_in) {
  std::map<std::string, StridedArray> arrays;
  const auto letters_of = [](const std::string& axis) { return axis.substr(0, axis.size() - 1); };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string axis = is_guess[i] ? axis_of_stride(parameters[i].name) : "";
    if (!axis.empty()) arrays[letters_of(axis)].axes.push_back(i);
  }
  for (auto& [letters, array] : arrays) {
    const char axis = axis_of_stride(parameters[array.axes.back()].name).back();
    array.last = array.axes.size() == 1 ? axis_behind(letters, axis) : 0;
    array.has_last_axis_elsewhere = compiled_in.ones.has_value() || array.last != 0;
  }
  for (const std::string& one : compiled_in.ones.value_or(std::vector<std::string>{})) {
    const std::string axis = axis_of_stride(one);
    const auto array = axis.empty() ? arrays.end() : arrays.find(letters_of(axis));
    if (array != arrays.end()) array->second.last = axis.back();
  }
  return arrays;
}

bool counts_multiprocessors(std::string_view name) {
  constexpr std::array<std::string_view, 4> endings = {"numsms", "smcount", "multiprocessorcount",
                                                       "multiprocessors"};
  return name == "sms" ||
         std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

const Convention* convention_of(const std::string& name) {
  if (const Convention* const known = find(conventions, name)) return known;
  for (const std::string_view prefix : {"num", "n", "max", "total"}) {
    if (!name.starts_with(prefix)) continue;
    if (const Convention* const known = find(conventions, name.substr(prefix.size()))) return known;
  }
  return nullptr;
}

// Smaller than usual, but still a multiple of half a warp. Numbers below 64 are rarely sizes of arrays.
SuggestedNumber reduced(SuggestedNumber number, double divisor) {
  constexpr double least = 16, least_size = 64;
  if (divisor <= 1 || number.value < least_size) return number;
  number.value = std::max(least, std::floor(number.value / divisor));
  number.reason += ", small: with the usual one the launch is too large";
  return number;
}

bool is_width(const std::string& name) {
  return name == "w" || name == "cols" || name == "ncols" || name.ends_with("width") || name == "imagew" ||
         name == "imgw";
}

// The distance of two rows, whatever array it is of.
bool is_pitch(const std::string& name) {
  return name == "stride" || name == "pitch" || name == "rowstride" || name == "rowpitch";
}

bool counts_rows_alone(const std::vector<KnownParameter>& parameters) {
  const auto is_any = [&](const auto& is_wanted) {
    return std::ranges::any_of(
        parameters, [&](const KnownParameter& parameter) { return is_wanted(folded(parameter.name)); });
  };
  return is_any(
             [](const std::string& name) { return name == "height" || name == "rows" || name == "nrows"; }) &&
         !is_any(is_width);
}

void suggest_pitches(const std::vector<KnownParameter>& parameters, const std::vector<bool>& is_guess,
                     std::vector<std::optional<SuggestedNumber>>& values) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!is_guess[i] || !is_pitch(folded(parameters[i].name))) continue;
    if (counts_rows_alone(parameters))
      values[i] =
          SuggestedNumber{usual_size, "the distance of rows, of which only the number is given", true};
    for (std::size_t width = 0; width < parameters.size(); ++width) {
      if (!values[width] || !is_width(folded(parameters[width].name))) continue;
      values[i] = SuggestedNumber{values[width]->value,
                                  fmt::format("{}: rows after each other", parameters[width].name), true};
    }
  }
}

// "x." and 2 of a member "x.stride(2)"; none for another name.
struct TensorAxis {
  std::string tensor;
  std::size_t axis = 0;
};
std::optional<TensorAxis> axis_of_tensor(const KnownParameter& parameter, std::string_view number) {
  const std::size_t at = parameter.name.rfind(number);
  if (!parameter.is_member || at == std::string::npos || !parameter.name.ends_with(')')) return std::nullopt;
  return TensorAxis{parameter.name.substr(0, at + 1),
                    static_cast<std::size_t>(parameter.name[at + number.size()] - '0')};
}

// Tensors are contiguous, and one whose dimensions are counted has one.
void suggest_tensors(const std::vector<KnownParameter>& parameters, const std::vector<bool>& is_guess,
                     std::vector<std::optional<SuggestedNumber>>& values) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!is_guess[i]) continue;
    if (parameters[i].is_member && parameters[i].name.ends_with(".dims"))
      values[i] = SuggestedNumber{1, "all elements along one dimension", true};
    const std::optional<TensorAxis> stride = axis_of_tensor(parameters[i], ".stride(");
    if (!stride) continue;
    double product = 1;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const std::optional<TensorAxis> size = axis_of_tensor(parameters[k], ".size(");
      if (size && values[k] && size->tensor == stride->tensor && size->axis > stride->axis)
        product *= values[k]->value;
    }
    values[i] = SuggestedNumber{product, "the stride of a contiguous tensor", true};
  }
}

}  // namespace

SuggestedNumber suggested_number(std::string_view name, bool is_floating, const SuggestionBasis& basis) {
  const std::string text = folded(name);
  if (is_floating) {
    if (const Convention* const known = find(real_conventions, text)) return suggested(*known);
    return {1, "1 for a number whose name says nothing known"};
  }
  if (is_switch(text)) return {0, "a switch by its name, off"};
  if (basis.sms > 0 && counts_multiprocessors(text))
    return {static_cast<double>(basis.sms), "the multiprocessors of the device by its name"};
  SuggestedNumber number;
  if (const Convention* const known = convention_of(text)) {
    number = suggested(*known);
  } else {
    number.value = usual_size;
    number.reason = "a whole number whose name says nothing known";
  }
  return reduced(std::move(number), basis.divisor);
}

void suggest_strides(const std::vector<KnownParameter>& parameters, const std::vector<bool>& is_guess,
                     const CompiledIn& compiled_in, std::vector<std::optional<SuggestedNumber>>& values) {
  for (const auto& [letters, array] : strided_arrays(parameters, is_guess, compiled_in))
    suggest_axes(parameters, array, compiled_in.head_dimension.value_or(head_dimension), values);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string name = folded(parameters[i].name);
    if (!is_guess[i] || !name.starts_with("ld") || name.size() > 3) continue;
    // Row-major: A is [M, K], B [K, N] and C [M, N].
    const std::optional<double> size = size_named(parameters, values, name == "lda" ? 'k' : 'n');
    if (size) values[i] = SuggestedNumber{*size, "the leading dimension of a row-major matrix"};
  }
  suggest_pitches(parameters, is_guess, values);
  suggest_tensors(parameters, is_guess, values);
}

}  // namespace tilescope
