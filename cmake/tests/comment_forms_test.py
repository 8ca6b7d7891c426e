"""Counts forms of comments that have to be read twice. A comment starts with a noun phrase that names the thing, or with
a verb. Each form has the number of comments that still have it, which may only fall."""

import collections
import pathlib
import re
import unittest

from source_texts import SOURCE, comments_of, files_of_repository

Form = collections.namedtuple("Form", "name pattern instead most")


def start(words):
    """At the beginning of a comment, behind a unit such as "[px] "."""
    return re.compile(rf"\A\s*(\[[^\]]*\],?\s+)?({words})\b")


FORMS = [
    Form("Of ...", start("Of"), "name the thing: \"Width of the label\", \"Line of the kernel's file\"", 0),
    Form("That of ..., Those of ...", start("(That|Those) of"), "name the thing", 0),
    Form("The same ...", start("The same"), "say what is the same, or what this one does", 0),
    Form("What ...", start("What"), "name the thing", 0),
    Form("is no X", re.compile(r"(?P<there>\bthere\s+(\w+\s+){0,2})?\b(is|are|was|were|be)\s+no\s+(?!longer|more|less|worse|"
                               r"better|different|such|matter|need|room|way)\w+", re.I), "\"is not an X\"", 0),
    Form("that of, those of", re.compile(r"(?<!\bso\s)\b(that|those)\s+of\b(?!\s+which)", re.I),
         "repeat the noun, or use a genitive: \"the kernel's\"", 0),
    Form("somebody, nobody, whoever", re.compile(r"\b(somebody|someone|nobody|no one|whoever)\b", re.I),
         "say which part of the program, or use the passive", 0),
    Form("the person", re.compile(r"\b(the|a)\s+person\b", re.I), "\"the user\"", 0),
]
# A form whose number lies further than this above the count has a number to lower.
SLACK = 5
QUOTED = re.compile(r"\"[^\"\n]*\"|`[^`\n]*`")


def has(form, comment):
    """What a comment quotes is not its own wording."""
    text = QUOTED.sub('""', comment)
    return any(not match.groupdict().get("there") for match in form.pattern.finditer(text))


def places(form, path, source):
    return [f"{path}:{line}" for line, comment in comments_of(path, source) if has(form, comment)]


def complaint_about(form, found):
    """Why a form has another number than the written one; "" where it may stay."""
    if len(found) > form.most:
        return (f"{len(found)} comments have the form \"{form.name}\", {form.most} are allowed. Instead: {form.instead}.\n  "
                + "\n  ".join(found))
    if len(found) < form.most - SLACK:
        return (f"{len(found)} comments have the form \"{form.name}\", fewer than the {form.most} that are allowed: lower "
                f"the number in {pathlib.Path(__file__).name} to {len(found)}.")
    return ""


def is_read(path):
    """Kernels are left out: sessions hold the hash of their sources."""
    return not path.startswith(("kernels/", "third_party/")) and path != "cmake/tests/comment_forms_test.py"


class Forms(unittest.TestCase):
    def names(self, source, path="a.cpp"):
        return [form.name for form in FORMS if places(form, pathlib.Path(path), source)]

    def test_each_form_is_found_wherever_comments_are(self):
        for path, source, name in [
                ("a.hpp", "/// Of the kernel.\nint a;", "Of ..."), ("a.hpp", "int a;  // Of the kernel.", "Of ..."),
                ("a.hpp", "/// [px] Of the label.\nint a;", "Of ..."), ("a.hpp", "// Of the kernel.\n/// Width.\nint a;", "Of ..."),
                ("a.hpp", "int a;  // Width.\n/// Of the kernel.\nint b;", "Of ..."), ("a.cpp", "/* Of the kernel. */", "Of ..."),
                ("a.hpp", "// --- for tests ---\n// The same, slower.\n", "The same ..."), ("a.sh", "  # What ends it.", "What ..."),
                ("CMakeLists.txt", "# Objects.\n\n# The same.", "The same ..."), ("a.py", "x = 1  # a file that is no kernel", "is no X"),
                ("a.cpp", "// A file that is\n// no kernel.", "is no X"), ("a.cpp", "// There are files that are no kernels.", "is no X"),
                ("a.cpp", "// The length is that of the kernel.", "that of, those of"), ("a.cpp", "// nobody waits", "somebody, nobody, whoever"),
                ("a.cpp", "// for a\n// person", "the person")]:
            with self.subTest(source):
                self.assertEqual(self.names(source, path), [name])
        self.assertEqual(self.names("// That of the kernel."), ["That of ..., Those of ...", "that of, those of"])

    def test_other_uses_of_the_words_are_none(self):
        for path, source in [
                ("a.cpp", 'f("Of the kernel"); g("nobody");'), ("a.cpp", "// Often\n// of the same."), ("a.cpp", "// There is no kernel."),
                ("a.cpp", "// There may be no kernel; it is no longer here."), ("a.cpp", '// Says "x is no kernel" for `nobody`.'),
                ("a.cpp", "// Longest first, so that of two the first is taken."), ("a.cpp", "// The width\n// Of\n// the label."),
                ("a.cpp", '/* tilescope-kernel\n{"help": "Of the kernel"}\n*/'), ("a.py", 'x = "# Of the kernel"'),
                ("a.sh", "x=${name#Of the}")]:
            with self.subTest(source):
                self.assertEqual(self.names(source, path), [])

    def test_a_number_may_only_fall_and_follows_the_count(self):
        form = FORMS[0]._replace(most=10)
        self.assertIn("a.cpp:3", complaint_about(form, ["a.cpp:3"] * 11))
        self.assertEqual(complaint_about(form, ["a.cpp:3"] * 10), "")
        self.assertEqual(complaint_about(form, ["a.cpp:3"] * (10 - SLACK)), "")
        self.assertIn(f"lower the number in comment_forms_test.py to {9 - SLACK}.",
                      complaint_about(form, ["a.cpp:3"] * (9 - SLACK)))


class Comments(unittest.TestCase):
    def test_forms_do_not_spread(self):
        names = list(filter(is_read, files_of_repository()))
        self.assertGreater(len(names), 500)
        found = collections.defaultdict(list)
        for name in names:
            comments = [(line, text) for line, text in comments_of(pathlib.Path(name), (SOURCE / name).read_text(errors="replace"))]
            for form in FORMS:
                found[form.name] += [f"{name}:{line}" for line, text in comments if has(form, text)]
        complaints = list(filter(None, (complaint_about(form, found[form.name]) for form in FORMS)))
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))


if __name__ == "__main__":
    unittest.main()
