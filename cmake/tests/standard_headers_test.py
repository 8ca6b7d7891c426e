#!/usr/bin/env python3
"""Every file includes the standard headers of the names that it uses, or reaches them through headers of ours.

Standard headers include each other, and which ones differs from one libstdc++ to the next: a file that uses std::find
without <algorithm> compiles with one version of GCC and not with another."""

import functools
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from kept_results import OwnHeaders

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# Header and the names that it declares. A name that several headers declare is in the row of each. std::size_t,
# std::ptrdiff_t and std::nullptr_t are left out: every header of libstdc++ declares them.
NAMES = {
    "algorithm": "adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if equal"
                 " equal_range fill fill_n find find_end find_first_of find_if find_if_not for_each for_each_n"
                 " generate generate_n includes inplace_merge is_partitioned is_permutation is_sorted"
                 " lexicographical_compare lower_bound make_heap max max_element merge min min_element minmax"
                 " minmax_element mismatch next_permutation none_of nth_element partial_sort partition partition_point"
                 " pop_heap prev_permutation push_heap remove remove_if replace replace_if reverse reverse_copy rotate"
                 " sample search set_difference set_intersection set_symmetric_difference set_union shuffle sort"
                 " sort_heap stable_partition stable_sort swap_ranges transform unique unique_copy upper_bound",
    "array": "array to_array",
    "atomic": "atomic atomic_bool atomic_flag atomic_int atomic_ref atomic_thread_fence memory_order"
              " memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian has_single_bit"
           " popcount rotl rotr",
    "bitset": "bitset",
    "cctype": "isalnum isalpha isdigit islower isprint ispunct isspace isupper isxdigit tolower toupper",
    "cfenv": "fegetround fesetround",
    "charconv": "chars_format from_chars from_chars_result to_chars to_chars_result",
    "chrono": "chrono chrono_literals",
    "cmath": "abs acos asin atan atan2 cbrt ceil copysign cos cosh erf exp exp2 expm1 fabs fdim floor fma fmax fmin"
             " fmod fpclassify frexp hypot ilogb isfinite isinf isnan isnormal isunordered ldexp lerp lgamma llround"
             " log log10 log1p log2 logb lrint lround modf nan nanf nearbyint nextafter nextafterf pow remainder rint"
             " round scalbn signbit sin sinh sqrt tan tanh tgamma trunc",
    "compare": "compare_three_way is_eq partial_ordering strong_ordering weak_ordering",
    "complex": "complex",
    "concepts": "convertible_to copy_constructible derived_from floating_point integral invocable regular same_as"
                " signed_integral totally_ordered unsigned_integral",
    "condition_variable": "condition_variable condition_variable_any cv_status",
    "csignal": "raise sig_atomic_t signal",
    "cstddef": "byte max_align_t to_integer",
    "cstdint": "int16_t int32_t int64_t int8_t intmax_t intptr_t uint16_t uint32_t uint64_t uint8_t uintmax_t"
               " uintptr_t",
    "cstdio": "fclose feof ferror fflush fgetc fgets FILE fopen fprintf fputs fread fscanf fseek ftell fwrite getchar"
              " perror printf putchar puts remove rename snprintf sprintf sscanf vsnprintf",
    "cstdlib": "_Exit abort abs at_quick_exit atexit atof atoi atol calloc exit free getenv llabs malloc quick_exit"
               " realloc strtod strtof strtol strtoll strtoul strtoull system",
    "cstring": "memchr memcmp memcpy memmove memset strchr strcmp strcpy strerror strlen strncmp strncpy strrchr"
               " strstr",
    "ctime": "clock clock_t gmtime localtime mktime strftime time time_t tm",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr make_exception_ptr rethrow_exception set_terminate"
                 " terminate uncaught_exceptions",
    "filesystem": "filesystem",
    "fstream": "filebuf fstream ifstream ofstream",
    "functional": "bind bit_and bit_or bit_xor cref divides equal_to function greater greater_equal hash identity"
                  " invoke less less_equal logical_and logical_not logical_or mem_fn minus modulus multiplies negate"
                  " not_equal_to not_fn plus ref reference_wrapper",
    "future": "async future future_status launch packaged_task promise shared_future",
    "initializer_list": "initializer_list",
    "iomanip": "get_time put_time quoted setfill setprecision setw",
    "ios": "boolalpha dec defaultfloat fixed hex hexfloat ios ios_base left noskipws oct right scientific streamsize",
    "iosfwd": "istream ostream",
    "iostream": "cerr cin clog cout",
    "istream": "istream ws",
    "iterator": "advance back_insert_iterator back_inserter begin bidirectional_iterator_tag cbegin cend data"
                " distance empty end forward_iterator_tag front_inserter input_iterator_tag insert_iterator inserter"
                " istream_iterator istreambuf_iterator iterator_traits make_move_iterator make_reverse_iterator next"
                " ostream_iterator ostreambuf_iterator prev random_access_iterator_tag rbegin rend reverse_iterator"
                " size ssize",
    "latch": "latch",
    "limits": "float_round_style numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "addressof align allocate_shared allocator const_pointer_cast construct_at default_delete destroy_at"
              " dynamic_pointer_cast enable_shared_from_this make_shared make_unique reinterpret_pointer_cast"
              " shared_ptr static_pointer_cast uninitialized_copy unique_ptr weak_ptr",
    "mutex": "adopt_lock call_once defer_lock lock_guard mutex once_flag recursive_mutex scoped_lock timed_mutex"
             " try_to_lock unique_lock",
    "new": "align_val_t bad_alloc hardware_destructive_interference_size launder nothrow",
    "numbers": "numbers",
    "numeric": "accumulate adjacent_difference exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint"
               " partial_sum reduce transform_reduce",
    "optional": "bad_optional_access make_optional nullopt nullopt_t optional",
    "ostream": "endl flush ostream",
    "queue": "priority_queue queue",
    "random": "bernoulli_distribution discrete_distribution gamma_distribution mt19937 mt19937_64 normal_distribution"
              " random_device uniform_int_distribution uniform_real_distribution",
    "ranges": "views",
    "ratio": "giga kilo mega micro milli nano ratio",
    "regex": "cmatch match_results regex regex_constants regex_error regex_match regex_replace regex_search"
             " regex_token_iterator smatch sregex_iterator sregex_token_iterator",
    "semaphore": "binary_semaphore counting_semaphore",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "source_location": "source_location",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "istringstream ostringstream stringbuf stringstream",
    "stack": "stack",
    "stdexcept": "domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error"
                 " runtime_error underflow_error",
    "stop_token": "stop_callback stop_source stop_token",
    "string": "basic_string char_traits getline stod stof stoi stol stoll stoul stoull string to_string u8string"
              " wstring",
    "string_view": "basic_string_view string_view",
    "system_error": "errc error_code generic_category make_error_code system_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply forward_as_tuple make_from_tuple make_tuple tie tuple tuple_cat",
    "type_traits": "add_const_t bool_constant common_type_t conditional_t decay_t enable_if_t false_type"
                   " has_unique_object_representations_v integral_constant invoke_result_t is_arithmetic_v"
                   " is_base_of_v is_const_v is_constant_evaluated is_constructible_v is_convertible_v"
                   " is_copy_assignable_v is_copy_constructible_v is_default_constructible_v is_enum_v"
                   " is_floating_point_v is_integral_v is_invocable_r_v is_invocable_v is_move_assignable_v"
                   " is_move_constructible_v is_nothrow_constructible_v is_nothrow_destructible_v"
                   " is_nothrow_move_assignable_v is_nothrow_move_constructible_v is_pointer_v is_reference_v is_same"
                   " is_same_v is_signed_v is_standard_layout_v is_trivially_copyable is_trivially_copyable_v"
                   " is_unsigned_v is_void_v make_signed_t make_unsigned_t remove_const_t remove_cvref_t"
                   " remove_pointer_t remove_reference_t true_type type_identity_t underlying_type_t void_t",
    "typeindex": "type_index",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_multiset unordered_set",
    "utility": "as_const cmp_equal cmp_greater cmp_greater_equal cmp_less cmp_less_equal declval exchange forward"
               " in_place in_range index_sequence index_sequence_for integer_sequence make_index_sequence make_pair"
               " move pair piecewise_construct swap unreachable",
    "variant": "bad_variant_access get_if holds_alternative monostate variant variant_alternative_t variant_size_v"
               " visit",
    "vector": "vector",
}
HEADERS = {}
for declaring, declared in NAMES.items():
    for declared_name in declared.split():
        HEADERS.setdefault(declared_name, set()).add(declaring)
# std::ranges::find is where std::find is; these are elsewhere.
NESTED = {"ranges::subrange": {"ranges"}, "ranges::views": {"ranges"}, "ranges::iota_view": {"ranges"},
          "ranges::begin": {"ranges"}, "ranges::end": {"ranges"}, "ranges::size": {"ranges"},
          "ranges::distance": {"iterator"}, "ranges::next": {"iterator"}}
# Headers and names that a header is sure to include or to declare as well, because the standard says so or its own
# functions take them.
ALSO = {
    "iostream": {"ios", "istream", "ostream", "system_error"}, "istream": {"ios", "ostream", "system_error"},
    "ostream": {"ios", "system_error"}, "sstream": {"ios", "ostream", "system_error"},
    "fstream": {"ios", "ostream", "system_error"}, "ios": {"system_error"}, "charconv": {"system_error"},
    "string": {"compare", "initializer_list", "iterator"}, "string_view": {"compare", "iterator"},
    "vector": {"compare", "initializer_list", "iterator"}, "array": {"compare", "initializer_list", "iterator"},
    "map": {"compare", "initializer_list", "iterator"}, "set": {"compare", "initializer_list", "iterator"},
    "deque": {"compare", "initializer_list", "iterator"}, "list": {"compare", "initializer_list", "iterator"},
    "unordered_map": {"initializer_list", "iterator"}, "unordered_set": {"initializer_list", "iterator"},
    "span": {"iterator"}, "regex": {"initializer_list", "iterator", "string"}, "algorithm": {"initializer_list"},
    "utility": {"compare", "initializer_list"}, "iterator": {"compare", "concepts"},
    "thread": {"compare", "stop_token"}, "memory": {"compare"}, "optional": {"compare"}, "chrono": {"compare", "ratio"},
    "stdexcept": {"exception"}, "new": {"exception"}, "bitset": {"string"}, "filesystem": {"compare", "system_error"},
    "tuple": {"compare"}, "variant": {"compare"}, "system_error": {"compare"},
}
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s"]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"'
                               r"|'(?:\\.|[^'\\\n])'", re.DOTALL)
USE = re.compile(r"(?<![\w:])std::(ranges::)?(\w+)")


def without_comments_and_strings(text):
    return COMMENT_OR_STRING.sub(lambda match: "\n" * match[0].count("\n"), text)


class Files:
    """The files of a repository."""

    def __init__(self, root):
        self.headers = OwnHeaders(root)

    @functools.cache
    def standard_headers(self, path):
        """Those that a file includes itself, and what they are sure to declare."""
        named = set(INCLUDE.findall(without_comments_and_strings(self.headers.text(path))))
        return named.union(*(ALSO.get(header, ()) for header in named))

    def missing_in(self, path):
        """Lines such as "12: std::find needs <algorithm>", for the first use of each name."""
        text = without_comments_and_strings(self.headers.text(path))
        included = self.standard_headers(path).union(
            *(self.standard_headers(header) for header in self.headers.reached_from(path)))
        missing = {}
        for use in USE.finditer(text):
            needed = NESTED.get(f"{use[1]}{use[2]}" if use[1] else "") or HEADERS.get(use[2])
            if needed and not needed & included:
                missing.setdefault(use[0], f"{text.count(chr(10), 0, use.start()) + 1}: {use[0]} needs"
                                           f" {' or '.join(f'<{header}>' for header in sorted(needed))}")
        return list(missing.values())


def files_of_repository():
    """Those that git knows; of a copy without git all but what is built."""
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "*.cpp", "*.hpp"], capture_output=True, text=True)
    if listed.returncode != 0:
        return [path for path in SOURCE.rglob("*.[ch]pp") if path.relative_to(SOURCE).parts[0] != "build"]
    return [SOURCE / name for name in listed.stdout.splitlines() if (SOURCE / name).is_file()]


class Finder(unittest.TestCase):
    def missing(self, text, **headers):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, header in headers.items():
                (root / f"{name}.hpp").write_text(header)
            (root / "file.cpp").write_text(text)
            return Files(root).missing_in(root / "file.cpp")

    def test_a_missing_header_is_found(self):
        for text, message in [("#include <vector>\nauto x = std::find(a, b, c);\n", "2: std::find needs <algorithm>"),
                              ("using std::clamp;\n", "1: std::clamp needs <algorithm>"),
                              ("auto x = std::ranges::find(a, b);", "1: std::ranges::find needs <algorithm>"),
                              ("auto x = std::ranges::next(a);", "1: std::ranges::next needs <iterator>"),
                              ("double x = std::abs(y);", "1: std::abs needs <cmath> or <cstdlib>"),
                              ("// #include <vector>\nstd::vector<int> x;", "2: std::vector needs <vector>")]:
            with self.subTest(text):
                self.assertEqual(self.missing(text), [message])

    def test_each_name_is_reported_once(self):
        self.assertEqual(self.missing("int x = std::max(1, std::max(2, 3));"), ["1: std::max needs <algorithm>"])

    def test_a_header_of_ours_may_include_it(self):
        text = '#include "a.hpp"\nint x = std::max(1, 2);\n'
        self.assertEqual(self.missing(text, a='#include "b.hpp"\n', b="#include <algorithm>\n"), [])
        self.assertEqual(len(self.missing(text, a="\n", b="#include <algorithm>\n")), 1)

    def test_comments_and_strings_use_nothing(self):
        for text in ("// std::max\n", "/* std::max */", 'auto x = "std::max";', 'auto x = R"(a "\n std::max)";',
                     "my::std::max;", "auto x = '\"'; auto y = \"std::max\";"):
            with self.subTest(text):
                self.assertEqual(self.missing(text), [])

    def test_a_header_that_is_sure_to_include_another_is_enough(self):
        text = "#include <sstream>\n#include <map>\nauto x = std::hex; auto y = std::next(z);"
        self.assertEqual(self.missing(text), [])


class StandardHeaders(unittest.TestCase):
    def test_every_file_includes_what_it_uses(self):
        files = Files(SOURCE)
        paths = files_of_repository()
        self.assertGreater(len(paths), 500)
        missing = [f"{path.relative_to(SOURCE)}:{line}" for path in paths for line in files.missing_in(path)]
        self.assertFalse(missing, "\n" + "\n".join(missing))


if __name__ == "__main__":
    unittest.main()
