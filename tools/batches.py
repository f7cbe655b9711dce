#!/usr/bin/env python3
# tools/batches.py: which source files of a folder may be compiled as one, so that the headers they
# share are read once. CMake asks it when it configures (GODWIT_BATCHES). Prints a line a batch: its
# files, separated by semicolons; a file that is in none is compiled alone.
#
# Two files that have the same name in their unnamed namespaces are not put together. It reads text,
# not C++: what it misses is a redefinition in a file named unity_*.cxx, and --alone mends that.
import argparse
import re
import sys
from pathlib import Path

import cxx_text

LINES_MAX = 1000  # of a batch: an edit compiles a whole one anew
WORDS = {'const', 'constexpr', 'inline', 'static', 'auto', 'operator', 'return', 'template'}
TEST_MACROS = re.compile(r'(?:TYPED_)?TEST(?:_[FP])?|INSTANTIATE_\w+|MATCHER(?:_P\d*)?')


def shallow(code: str) -> str:
    """Blanked code of a namespace without what is in braces or template parameters."""
    text, depth = '', 0
    for part in re.split(r'([{}])', code):
        if part == '{':
            depth += 1
        elif part == '}':
            depth -= 1
            text += ';' if depth == 0 else ''
        elif depth == 0:
            text += part
    while (inner := re.sub(r'<[^<>;]*>', ' ', text)) != text:
        text = inner
    return text


def declared(code: str) -> set[str]:
    """Names that a namespace's blanked code declares."""
    names = set()
    for statement in shallow(code).split(';'):
        statement = re.sub(r'\[\[.*?\]\]', ' ', statement).strip()
        if re.match(r'using\s+[\w:]+$|using\s+namespace\b|namespace\b|static_assert\b', statement):
            continue  # the same twice is allowed
        found = (re.search(r'\b(?:using|struct|class|union|enum(?:\s+class)?)\s+(\w+)\s*'
                           r'(?:final\b|[:=]|$)', statement) or
                 re.search(r'([\w:]+)\s*(?:\(|=|\[|$)', statement))
        if found and not TEST_MACROS.fullmatch(found[1]) and found[1] not in WORDS:
            names.add(found[1])
    return names


def local_names(text: str) -> set[str]:
    """What a file has in unnamed namespaces, and its macros."""
    code = cxx_text.blank(text)
    names = set(re.findall(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', code, re.MULTILINE))
    code = cxx_text.blank_directives(code)
    for begin in re.finditer(r'\bnamespace\s*\{', code):
        depth, at = 1, begin.end()
        for brace in re.finditer(r'[{}]', code[begin.end():]):
            depth += 1 if brace[0] == '{' else -1
            if depth == 0:
                at = begin.end() + brace.start()
                break
        names |= declared(code[begin.end():at])
    return names


def batches(files: list[Path], lines_max: int = LINES_MAX) -> list[list[Path]]:
    """In order, each into the first batch in which it has room and shares no name."""
    found: list[tuple[list[Path], set[str], list[int]]] = []
    for file in files:
        text = file.read_text()
        if 'foreach_target' in text:
            continue  # Highway reads such a file several times
        names, lines = local_names(text), text.count('\n')
        for members, taken, length in found:
            if not taken & names and length[0] + lines <= lines_max:
                members.append(file)
                taken |= names
                length[0] += lines
                break
        else:
            found.append(([file], names, [lines]))
    return [members for members, _, _ in found if len(members) > 1]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description='Which source files may be compiled as one.')
    parser.add_argument('files', nargs='*', type=Path)
    parser.add_argument('--alone', action='append', default=[], metavar='NAME',
                        help='a file that is left out')
    options = parser.parse_args(arguments)
    for batch in batches([file for file in options.files if file.name not in options.alone]):
        print(';'.join(str(file) for file in batch))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
