"""Keeps phrases out of the program's texts, help, READMEs and comments that readers stumbled over, each with the words
that say the same plainly. Add a pair here when another one is found."""

import pathlib
import re
import unittest

from source_texts import SOURCE, files_of_repository, pieces_of

# Phrase and what to say instead. A phrase is a regular expression of whole words; a blank matches any white space. One
# in ^...$ must be the whole text of a string.
PHRASES = [
    (r"(right|wrong) results?", "Correct / Incorrect result"),
    (r"(il)?legal (configuration|value|cell|choice|shape)s?", "Valid / Invalid ..."),
    (r"Not with the others as they are", "Incompatible with current settings"),
    (r"^vary(##.*)?$", "Sweep"),
    (r"press \"?vary\"?", "Choose parameters to sweep"),
    (r"every status", "All statuses"),
    (r"^latency is$", "Origin"),
    (r", from the table", "not installed"),
    (r"(is )?not in this machine", "not installed"),
    (r"best of the others", "Best over other parameters"),
    (r"\w+ down, \w+ across", "Rows: BLOCK_N, columns: BLOCK_M"),
    (r"\{\} down, \{\} across", "Rows: {}, columns: {}"),
    (r"No two parameters", "Needs two parameters"),
    (r"^all configurations(##.*)?$", "All settings"),
    (r"spread a little", "jittered horizontally"),
    (r"as under the sliders", "at slider values"),
    (r"No point of this slice", "No points for these settings"),
    (r"The point is being made", "Measuring..."),
    (r"^Not measured$", "Notes"),
    (r"NVRTC's own words", "NVRTC output"),
    (r"own words", "text, message"),
    (r"Fewest possible", "Minimum wavefronts"),
    (r"beyond the fewest", "excess"),
    (r"Of warps, of the PTX", "Warp-level PTX instructions"),
    (r"Times that a warp", "Warp arrivals at block barriers"),
    (r"(memory|registers|warps|blocks) bounds? it", "... limits residency to N blocks per SM"),
    (r"let more in", "allow more"),
    (r"over the most that an SM holds", "Resident warps / SM maximum"),
    (r"^Compiled in$", "Compile"),
    (r"is made with besides", "Library version"),
    (r"Size of the display", "Reset zoom"),
    (r"Unnamed sessions", "Autosaved sessions"),
    (r"(is|are) damaged", "Not a Tilescope session (invalid JSON at line N)"),
    (r"restore it from a copy", "what is wrong, with the line"),
    (r"faults on purpose", "deliberate bugs"),
    (r"what libraries reach", "Library baselines"),
    (r"No barrier behind the scores", "Missing barrier after scores"),
    (r"verdict against", "check failed"),
    (r"made when it is not there", "created if missing"),
    (r"goes on where it stopped", "resumes"),
    (r"goes on from there", "resumes"),
    (r"Of the random inputs", "Input random seed"),
    (r"is no choice of", "is not a valid ..."),
    (r"who asks", "the caller"),
    (r"what cannot be known so", "cannot be determined this way and is reported as unavailable"),
    (r"never invented", "reported as unavailable"),
    (r"each with one idea more", "each adding one idea"),
    (r"know nobody", "depend on nothing"),
    (r"dearer", "costs more"),
    (r"documented nowhere", "NVIDIA does not document ..."),
    (r"does not litter", "is not stored"),
    (r"what it has is with its point", "where the figure is shown"),
    (r"rubbish", "garbage, uninitialised data"),
    (r"heed(s|ed|ing)?", "honour, obey, notice"),
    (r"(looks like|shown by|repaired by):", "symptom, evidence, repair"),
    (r"memory that nobody wrote", "uninitialised memory"),
    (r"of one's own", "your own"),
]
# In strings, not in comments, where they are ordinary words.
TEXT_PHRASES = [
    (r"who", "name the subject"),
    (r"told(?! (from|apart))", "say who said it, or what is known"),
    (r"so many", "a number"),
    (r"when it is not there", "if missing"),
    (r"^fewest$", "minimum"),
    (r"^beyond$", "excess"),
]

def compiled(phrases):
    def whole_words(phrase):
        if phrase.startswith("^"):
            return phrase
        start = r"(?<![\w-])" if re.match(r"\w|\(", phrase) else ""
        return start + phrase.replace(" ", r"\s+") + (r"(?![\w-])" if re.search(r"[\w)?*]$", phrase) else "")
    return [(re.compile(whole_words(phrase), re.I), instead) for phrase, instead in phrases]


EVERYWHERE, IN_TEXT = compiled(PHRASES), compiled(TEXT_PHRASES)


def complaints_about(path, source):
    complaints = []
    for line, is_string, text in pieces_of(path, source):
        for phrase, instead in EVERYWHERE + (IN_TEXT if is_string else []):
            for match in phrase.finditer(text):
                at = line + text.count("\n", 0, match.start())
                complaints.append(f"{path}:{at}: \"{' '.join(match.group(0).split())}\": better: {instead}")
    return complaints


def is_ours(path):
    """Recorded data is what a program once wrote, and pictures are no text."""
    recorded = "sessions/examples/" in path or "/fixtures/" in path or re.search(r"h200|_best\.json|_candidates\.json", path)
    return not recorded and path != "cmake/tests/wording_test.py" and not path.endswith((".png", ".xz", ".ptx", ".dict"))


class Scanner(unittest.TestCase):
    def found(self, name, source):
        return complaints_about(pathlib.Path(name), source)

    def test_a_phrase_is_found_across_lines_and_literals(self):
        for name, source in [("a.cpp", 'f("a wrong "\n  "result");'), ("a.cpp", 'f("a wrong" " Result");'),
                             ("a.cpp", "// a right\n// result\nint x;"), ("a.hpp", 'R"(a wrong\nresult)"'),
                             ("k.cu", '/* tilescope-kernel\n{"help": "who knows"}\n*/'), ("a.md", "a wrong\nresult"),
                             ("a.py", 'x = ("a wrong "\n     "result")'), ("a.py", "# a wrong result"),
                             ("a.json", '{"key": ["every status"]}'), ("a.cpp", 'f("vary");'), ("a.cpp", r'f("press \"vary\"")'),
                             ("a.cpp", 'f(", from the table")')]:
            with self.subTest(source):
                self.assertEqual(len(self.found(name, source)), 1)

    def test_code_and_names_are_no_text(self):
        for name, source in [("a.cpp", "int wrong = result; bool legal; // a legal overlap"), ("a.cpp", 'f("wrong_result");'),
                             ("a.cpp", 'f("--vary"); vary.emplace(1);'), ("a.cpp", 'f("wrong"); // result'),
                             ("a.cpp", 'f("a wrong"); g("result");'), ("a.cpp", "// the caller, who waits"),
                             ("a.json", '{"illegal": 1}'), ("a.cpp", "char c = '\"'; // wrong\nint result;"),
                             ("a.cpp", 'f("an illegal memory access"); f("whole");')]:
            with self.subTest(source):
                self.assertEqual(self.found(name, source), [])

    def test_a_complaint_names_the_line_and_what_to_say(self):
        self.assertEqual(self.found("a.cpp", '\n\nf("x\\n"\n  "every status");'), ['a.cpp:4: "every status": better: All statuses'])


class Wording(unittest.TestCase):
    def test_no_phrase_is_back(self):
        names = list(filter(is_ours, files_of_repository()))
        self.assertGreater(len(names), 500)
        complaints = [complaint for name in names
                      for complaint in complaints_about(pathlib.Path(name), (SOURCE / name).read_text(errors="replace"))]
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))


if __name__ == "__main__":
    unittest.main()
