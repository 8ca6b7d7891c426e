"""Reads the strings and comments of the sources, for the tests of their wording."""

import io
import json
import pathlib
import re
import subprocess
import tokenize

SOURCE = pathlib.Path(__file__).resolve().parents[2]

COMMENT_START = re.compile(r"^\s*(//[/!]?|/?\*+/?|#)\s?", re.M)
CPP_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|(?:u8|u|U|L)?R"(?P<tag>[^(\s]*)\((?P<raw>.*?)\)(?P=tag)"'
                       r'|"(?P<string>(?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])+\'', re.S)
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "r": "\r"}


def unescaped(text):
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match.group(1), match.group(0)), text)


def pieces_of_cpp(source):
    """(line, is it a string, text): literals that follow each other are one, as for the compiler, and so are lines of a
    comment. Strings in a kernel's declaration, which stands in a comment, are strings."""
    pieces, end, is_open = [], 0, False
    for match in CPP_TOKEN.finditer(source):
        token, line = match.group(0), source.count("\n", 0, match.start()) + 1
        is_comment = token.startswith(("//", "/*"))
        if token.startswith("'"):
            continue
        if token.startswith("/*") and "tilescope-kernel" in token:
            pieces += [(line + token.count("\n", 0, s.start()), True, unescaped(s.group(1)))
                       for s in re.finditer(r'"((?:\\.|[^"\\])*)"', token)]
            continue
        text = COMMENT_START.sub("", token) if is_comment else match.group("raw")
        if text is None:
            text = unescaped(match.group("string"))
        joins = source[end:match.start()].strip() == "" and pieces and is_open and pieces[-1][1] != is_comment
        if joins:
            first, is_string, before = pieces[-1]
            pieces[-1] = (first, is_string, before + ("\n" if is_comment else "") + text)
        else:
            pieces.append((line, not is_comment, text))
        end, is_open = match.end(), True
    return pieces


def pieces_of_python(source):
    pieces, joined = [], False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.STRING:
            text = re.sub(r"^[a-zA-Z]*('''|\"\"\"|'|\")|('''|\"\"\"|'|\")$", "", token.string)
            if joined:
                pieces[-1] = (pieces[-1][0], True, pieces[-1][2] + text)
            else:
                pieces.append((token.start[0], True, text))
            joined = True
        elif token.type == tokenize.COMMENT:
            pieces.append((token.start[0], False, token.string.lstrip("# ")))
        if token.type not in (tokenize.STRING, tokenize.NL):
            joined = False
    return pieces


def strings_of(value):
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings_of(inner)


def pieces_of(path, source):
    if path.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".c"):
        return pieces_of_cpp(source)
    if path.suffix == ".py":
        return pieces_of_python(source)
    if path.suffix == ".json":
        return [(1, True, text) for text in strings_of(json.loads(source))]
    return [(1, path.suffix == ".md", source)]


LINE_COMMENT = re.compile(r"//[/!]?<?\s?")
BANNER = re.compile(r"-{3,}")


def joined_lines(lines):
    """(line, text) of each comment, from (line, column, marker, text) of its lines. Lines that follow each other at one
    column with one marker are one comment; a banner such as "--- for tests ---" is one of its own."""
    comments, last = [], None
    for line, column, marker, text in lines:
        here = (line - 1, column, marker)
        if last == here and not BANNER.match(text) and not BANNER.match(comments[-1][1]):
            comments[-1] = (comments[-1][0], comments[-1][1] + "\n" + text)
        else:
            comments.append((line, text))
        last = (line, column, marker)
    return comments


def comments_of_cpp(source):
    lines, blocks = [], []
    for match in CPP_TOKEN.finditer(source):
        token, line = match.group(0), source.count("\n", 0, match.start()) + 1
        if token.startswith("//"):
            marker = LINE_COMMENT.match(token).group(0)
            column = match.start() - source.rfind("\n", 0, match.start())
            lines.append((line, column, marker.rstrip(), token[len(marker):]))
        elif token.startswith("/*") and "tilescope-kernel" not in token:
            blocks.append((line, COMMENT_START.sub("", token)))
    return sorted(joined_lines(lines) + blocks)


def comments_of_python(source):
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return joined_lines([(token.start[0], token.start[1], "#", token.string.lstrip("# ")) for token in tokens
                         if token.type == tokenize.COMMENT])


def comments_of_script(source):
    """Comments of shell and CMake that have lines of their own: behind code a # may be anything."""
    found = [(line, re.match(r"(\s*)#+ ?(.*)", text)) for line, text in enumerate(source.splitlines(), 1)]
    return joined_lines([(line, len(match.group(1)), "#", match.group(2)) for line, match in found if match])


def comments_of(path, source):
    if path.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".c"):
        return comments_of_cpp(source)
    if path.suffix == ".py":
        return comments_of_python(source)
    is_script = path.suffix in (".sh", ".cmake") or path.name in ("CMakeLists.txt", "tilescope")
    return comments_of_script(source) if is_script else []


def files_of_repository():
    """With those that are not committed yet; of a copy without git all but what is built."""
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "--cached", "--others", "--exclude-standard"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else [
        str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*") if path.relative_to(SOURCE).parts[0] not in ("build", ".git")]
    return [name for name in names if (SOURCE / name).is_file()]
