"""Lets a compiler read several of our files as one main file, and still report what it reports for each alone.

Such a program spends most of its time on third-party headers, and most of our files include the same ones. Files are
therefore read one after the other, as one main file, with the options of all. Names in the unnamed namespaces get the
number of their file: another one may define them too, or use a header's that they would hide. That does not change the
findings: if such a batch reports anything, the files that it names are read alone with their own options, whose reports
count, and the others are read again; where it names none, its halves are. So a clash of names loses nothing but time, that
of a whole batch. A file that Highway includes again for each instruction set is read for one of them.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

from unnamed_namespace import own_names

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each batch reads the headers again, 5 s, and a file in it takes 0.1 s. A batch of 80 takes 1 GB.
MAX_FILES_PER_BATCH = 80
# Smaller batches on a machine with many cores: the last one decides when the run ends.
MIN_FILES_PER_BATCH = 20
BATCH_NAME = "batch_of_files.cpp"
USING = re.compile(r"^ *using ([\w:]+::\w+(?:, [\w:]+)*);", re.MULTILINE)
NO_USE = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"|\b(?:class|struct|enum|namespace) \w+')
# Options for files that contain a text.
FURTHER_OPTIONS = {
    "HWY_TARGET_INCLUDE": ["-DHWY_COMPILE_ONLY_STATIC"],
    # A function of dtl, which is never called, is not valid C++: it is only looked at where it is called.
    "dtl/dtl.hpp": ["-fdelayed-template-parsing", "-Wno-delayed-template-parsing-in-cxx20"],
}
# Options that decide the machine code and no finding.
CODE_GENERATION = re.compile(r"-O\w|-fPIC|-ffp-contract=.*|-fno-(strict-aliasing|math-errno|trapping-math|sanitize=.*)")
# Only one main() may be global. It alone may end without a return.
MAIN = re.compile(r"^int main(\(.*?^)\}$", re.MULTILINE | re.DOTALL)
BENCHMARK_MAIN = re.compile(r"^BENCHMARK_MAIN\(\);", re.MULTILINE)
# A name that is also one of a member cannot be changed safely.
MEMBER = re.compile(r"(?:\.|->)(\w+)")
# GoogleTest finds PrintTo by its name and its argument.
NOT_NUMBERED = {"PrintTo", "operator"}
FINDING = re.compile(r"^(?=\S+:\d+:\d+: (?:error|warning): )", re.MULTILINE)
PLACE = re.compile(r"^(\S+):(\d+):\d+: (?:error|warning|note): ", re.MULTILINE)


def compiled_files(build):
    """The entries of compile_commands.json for the files that git knows, by file; without the output."""
    known = subprocess.run(["git", "ls-files", "-z", "*.cpp"], cwd=ROOT, check=True, capture_output=True, text=True)
    ours = {str(ROOT / name) for name in known.stdout.split("\0") if name}
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"] in ours:
            words = shlex.split(entry["command"])
            output = words.index("-o")
            options = [word for word in words[:output] + words[output + 2:] if word not in ("-c", entry["file"])
                       and not word.startswith("--param=")]  # GCC's own memory
            text = pathlib.Path(entry["file"]).read_text()
            options += [option for part, more in FURTHER_OPTIONS.items() if part in text for option in more]
            found[entry["file"]] = {"directory": entry["directory"], "options": options}
    return found


def must_be_last(text):
    """Whether nothing may follow this file: a using-declaration that it does not need could seem to be used by the next
    one. Where the file itself has the bare name elsewhere, there is nothing to be mistaken about."""
    code = NO_USE.sub("", text)
    names = [name.strip().rsplit("::", 1)[-1] for line in USING.findall(code) for name in line.split(",")]
    rest = USING.sub("", code)
    return any(not re.search(rf"(?<![\w:.>]){name}\b", rest) for name in names)


class Options:
    """The options that files of a batch share: macros and folders of all of them. Highway's macros are among the
    others, which must be equal: they choose what its headers define."""

    def __init__(self, options):
        self.macros, self.folders, self.others = {}, {}, []
        words = iter(options)
        for word in words:
            if word == "-isystem":
                self.folders[word, next(words)] = None
            elif word.startswith("-I"):
                self.folders[word,] = None
            elif word.startswith("-D") and not word.startswith("-DHWY_"):
                self.macros[word.partition("=")[0]] = word
            elif not CODE_GENERATION.fullmatch(word):
                self.others.append(word)

    def fits(self, more):
        """Whether the others are equal and no macro has two values."""
        return self.others == more.others and all(
            self.macros.get(name, word) == word for name, word in more.macros.items())

    def add(self, more):
        self.macros |= more.macros
        self.folders |= more.folders

    def words(self):
        return [*self.others, *self.macros.values(), *(word for pair in self.folders for word in pair)]


def files_per_batch(count):
    return max(MIN_FILES_PER_BATCH, min(MAX_FILES_PER_BATCH, -(-count // os.cpu_count())))


def make_batches(entries):
    """Lists of files, the longest first. The files of a list have options that fit, and nothing follows one that must
    be last. Neighbours, which include the same headers, are in one list."""
    limit = files_per_batch(len(entries))
    batches = []
    last = {file for file in entries if must_be_last(pathlib.Path(file).read_text())}
    for file in sorted(entries, key=lambda file: (file not in last, file)):
        options = Options(entries[file]["options"])
        fitting = (one for one in batches if len(one["files"]) < limit and one["options"].fits(options))
        batch = None if file in last else next(fitting, None)
        if batch is None:
            batch = {"files": [], "options": options}
            batches.append(batch)
        batch["files"].insert(0, file)
        batch["options"].add(options)
    return sorted((one["files"] for one in batches), key=len, reverse=True)


def entry_of(entries, files):
    """How a batch is compiled."""
    if len(files) == 1:
        return entries[files[0]]
    options = Options(entries[files[0]]["options"])
    for file in files[1:]:
        options.add(Options(entries[file]["options"]))
    return {**entries[files[0]], "options": options.words()}


class Batch:
    """Files one after the other, as the text of one main file."""

    def __init__(self, files):
        self.text, self.starts = "", []
        texts = [without_main(pathlib.Path(file).read_text(), number) for number, file in enumerate(files)]
        taken = set()
        for number, (file, text) in enumerate(zip(files, texts)):
            names = own_names(text) - NOT_NUMBERED
            members = set(MEMBER.findall(text))
            clashing = {name for name in names if name in taken or name[0].isupper() or name not in members}
            self.text += f'#line 1 "{file}"\n'
            self.starts.append((self.text.count("\n"), file))
            self.text += numbered(text, clashing, number)
            taken |= names

    def file_at(self, path, line):
        """The file of a place in the main file or a header."""
        if pathlib.Path(path).name != BATCH_NAME:
            return path
        return max(start for start in self.starts if start[0] < line)[1]

    def without_foreign_shadows(self, findings):
        """Findings without the variables that have the name of one in another file, which -Wshadow cannot know."""
        return "".join(one for one in FINDING.split(findings) if not self.is_foreign_shadow(one))

    def is_foreign_shadow(self, finding):
        places = [self.file_at(path, int(line)) for path, line in PLACE.findall(finding)]
        return "[clang-diagnostic-shadow]" in finding and len(set(places)) > 1

    def files_named(self, findings):
        """The files with the places of findings; notes are left out, which may name the file that clashes."""
        ours = {file for _, file in self.starts}
        first = (PLACE.match(one) for one in FINDING.split(findings))
        return ours & {self.file_at(place[1], int(place[2])) for place in first if place}


def numbered(text, names, number):
    """A file's text with a number behind names of its unnamed namespace. Members of a class (x.name), names of another
    namespace (std::name) and the paths of headers stay; main() calls a name as tilescope::name."""
    if not names:
        return text
    either = re.compile(rf"^#include.*|(?:(?<=\btilescope::)|(?<![\w.:])(?<!->))(?:{'|'.join(sorted(names))})\b",
                        re.MULTILINE)
    return either.sub(lambda match: match[0] if match[0].startswith("#") else f"{match[0]}_{number}", text)


def without_main(text, number):
    """A program's file with an ordinary function in the place of main()."""
    return BENCHMARK_MAIN.sub("", MAIN.sub(rf"int main_{number}\1return 0; }}", text))


class Findings:
    """What a program reports for files, each as if it were read alone. `read(entry, path, text)` gives the findings for
    a file with the options of an entry, "" for none; `text` is what the file would hold, None for a file of ours."""

    def __init__(self, entries, read):
        self.entries, self.read = entries, read

    def of_one(self, files):
        """The findings for the files one after the other, as one main file, and the files that they name."""
        entry = entry_of(self.entries, files)
        if len(files) == 1:
            return self.read(entry, files[0], None), set(files)
        batch = Batch(files)
        findings = batch.without_foreign_shadows(self.read(entry, BATCH_NAME, batch.text))
        return findings, batch.files_named(findings)

    def of_each(self, files):
        """The findings of each file, by file."""
        findings, named = self.of_one(files)
        if not findings or len(files) == 1:
            return {file: findings for file in files}
        if not named or len(named) > len(files) // 2:
            half = len(files) // 2
            return self.of_each(files[:half]) | self.of_each(files[half:])
        alone = {file: self.of_one([file])[0] for file in files if file in named}
        return alone | self.of_each([file for file in files if file not in named])


def findings_of(entries, read, on_clean=lambda files: None):
    """The findings of every file, in the order of files. `on_clean` is called with those that have none, as soon as
    their batch is read."""
    findings = Findings(entries, read)

    def read_batch(files):
        found = findings.of_each(files)
        on_clean([file for file in files if not found[file]])
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        by_file = {file: text for found in pool.map(read_batch, make_batches(entries)) for file, text in found.items()}
    return "".join(by_file[file] for file in sorted(by_file))
