#!/usr/bin/env python3
# tools/check.py: the rules of this repository that a program can check. Prints one line a finding,
# `file:line: message`, and exits with 1 if there is any. `--help` lists the options.
import argparse
import ast
import os
import re
import sys
from pathlib import Path, PurePosixPath
from typing import Iterator

import cxx_text
from doc_links import check_links
from header_check import check_headers
from repo import Finding, Repo
from tested_elsewhere import TESTED_ELSEWHERE

# Folder of src/ -> what it may include, in the words of the map in docs/architecture.md. `base`,
# `include/godwit` and the folder itself always; nothing is implied beyond the list.
LAYERS = {
    'include/godwit': 'std',
    'base': 'include/godwit',
    'wire': 'base',
    'net': 'base',
    'store': 'base',
    'placement': 'base',
    'clock': 'base',
    'pace': 'base',
    'core': 'wire, store, placement, clock, pace',
    'node': 'core, net, launch, placement, clock, store',
    'group': 'include/godwit, wire, net',
    'launch': 'base, net',
    'report': 'base',
    'data': 'base',
    'train': 'include/godwit, group, report, data',
    'sched': 'base, net, launch, report',
    'sim': "core and below, net's interface",
    'bench': 'everything but cli',
    'cli': 'everything',
}
INTERFACES = {'net': 'net/transport.h'}  # the header meant by "net's interface"

# Rule, path (a folder ends in /), why the rule does not hold there.
EXCEPTIONS = [
    ('environment', 'src/cli/', 'the command line reads it and passes it on as arguments'),
    ('environment', 'src/node/session.cc', 'Session::open() is the library\'s only reader'),
    ('environment', 'src/data/data_fixture.h', 'tests find the real data sets through it'),
    ('stdout', 'src/cli/', 'its output is for the terminal'),
    ('stdout', 'src/report/', 'its output is for the terminal'),
    ('stdout', 'src/bench/', 'its output is for the terminal'),
    ('exit', 'src/base/check.h', 'a failed GODWIT_CHECK ends the process'),
    ('exit', 'src/base/check.cc', 'a failed GODWIT_CHECK ends the process'),
    ('exit', 'src/base/result.cc', 'value() of a failed Result is a failed check'),
    ('exit', 'src/launch/child_process.cc', 'a forked child that could not become the command'),
    ('exit', 'src/launch/warden.cc', 'the end of a forked process'),
    ('exit', 'src/cli/', 'the program\'s exit code'),
    ('exit', 'src/bench/remote_bench.cc', 'the child skips the exit handlers of its parent'),
    ('exit', 'src/bench/forked_nodes.h', 'the child skips the exit handlers of its parent'),
    ('sleep', 'src/group/patience.h', 'memory of another process has no event to wait for'),
    ('sleep', 'src/bench/placement_node.cc', 'stands for computation that a node waits for'),
    ('sleep', 'src/bench/clock_bench.cc', 'stands for computation'),
    ('sleep', 'src/bench/collective_rank.cc', 'what a group uses while nothing is asked of it'),
    ('sleep', 'src/train/injected_delays.cc', 'makes up delays for experiments'),
    ('sleep', 'src/bench/staleness_bench.cc', 'stands for computation'),
    ('static', 'src/node/lease.cc', 'what a thread holds is a property of the thread'),
    ('unfinished', 'tools/check', 'names the words it looks for'),
    ('paths', '.ci/run', 'the one place that knows where the data sets are'),
    ('paths', 'tools/check_test.py', 'names the words it looks for'),
    ('paths', '.gitignore', 'may name anything that must not be committed'),
]

FILE_LINES_MAX = 399
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100
ARCHITECTURE_LINES_MAX = 200
SIZED = {'.h', '.cc', '.py', '.cmake'}


def call_of(names: str) -> str:
    """A pattern for a call of a free function; not for a member nor a declaration."""
    before = r'(?:^|(?<=[;{}(),?=!&|])|(?<=[^:]:)|(?<=else)|(?<=return)|(?<=\bdo))'
    return rf'{before}\s*(?:std::|::)?\b(?:{names})\s*\('


# Rule, pattern over code without comments and strings, what to do instead.
BANNED = [
    ('throw', r'\bthrow\b', 'no throw: return a Result'),
    ('environment', r'\b(?:secure_)?getenv\s*\(', 'reads the environment: take an argument'),
    ('sleep', r'\bsleep_(?:for|until)\s*\(|' + call_of('usleep|nanosleep|sleep'),
     'waits by sleeping: wait for the event, with a deadline'),
    ('random', r'\brandom_device\b|' + call_of('s?rand|rand_r|[dlm]rand48'),
     'cannot be replayed: use the seeded generator of base'),
    ('stdout', r'\bstd::cout\b|\bfmt::print(?:ln)?\s*\(\s*(?:"|stdout)|\bfprintf\s*\(\s*stdout\b|'
     + call_of('v?printf|puts|putchar'), 'writes to stdout: use the log, or return the text'),
    ('thread', r'\bstd::thread\b(?!\s*::)', 'use std::jthread'),
    ('namespace', r'\busing\s+namespace\s+std\s*;', 'no `using namespace std`'),
    ('exit', call_of('abort|exit|_exit|_Exit|quick_exit|terminate'),
     'ends the process: return a Result, or GODWIT_CHECK'),
    ('static', r'\b(?:static|thread_local)\b(?![^;={(]*\b(?:const|constexpr|consteval|operator)\b)'
     r'[^;={(]*[\w\]>]\s*[;={]', 'mutable static: make it a member or an argument'),
]
NEW_OR_DELETE = re.compile(r'\b(?:new|delete)\b')
DELETED = re.compile(r'=\s*delete\b')
REASONED_NOLINT = re.compile(r'// NOLINT(?:\([\w.,* -]+\))?: \S')
# At the beginning of a line: in namespace godwit itself.
TYPE_DEFINITION = re.compile(
    r'^(?:struct|class|enum class)(?: \[\[\w+\]\])? (?P<name>\w+)(?: final)?(?: : [^;{]*)? \{',
    re.M)
UNFINISHED = re.compile(r'\b(?:TODO|FIXME|XXX)\b(?!\(#?\w+\): \S)')
CONDITION_WORD = re.compile(r'defined|__clang__|__SANITIZE\w*|__has_feature|\w+_sanitizer|HWY_\w+'
                            r'|\w+_H_')
FORBIDDEN = re.compile(
    r'(?<![\w.])/wor[k]/|/tmp/bash_job[s]|shared/dat[a]\b'
    r'|\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|crates\.io|rubygems\.org|conan\.io'
    r'|repo1?\.maven\.org|proxy\.golang\.org|deb\.debian\.org)\b')


def excepted(rule: str, path: str) -> bool:
    return any(rule == name and path.startswith(start) for name, start, _ in EXCEPTIONS)


def folder_of(path: str) -> str:
    """`store` for src/store/slab.h, `include/godwit` for a public header."""
    return 'include/godwit' if path.startswith('include/') else PurePosixPath(path).parts[1]


def may_include(folder: str, name: str) -> bool:
    """Whether a file of src/<folder> may include "<name>"."""
    target = PurePosixPath(name).parts[0]
    if target in ('godwit', 'base', folder):
        return True
    for words in LAYERS[folder].split(', '):
        if words in (target, 'everything'):
            return True
        if words == 'everything but cli' and target != 'cli':
            return True
        if words.endswith(' and below'):
            lower = words.removesuffix(' and below')
            if target == lower or may_include(lower, name):
                return True
        if words.endswith("'s interface") and name == INTERFACES.get(words.split("'")[0]):
            return True
    return False


def check_includes(repo: Repo) -> Iterator[Finding]:
    for path in repo.match({'.h', '.cc'}, 'include/'):
        for line, quoted, name in cxx_text.includes(repo.text(path)):
            if not (name.startswith('godwit/') if quoted else re.fullmatch(r'[a-z_0-9]+', name)):
                yield Finding(path, line, f'a public header may not include {name}: '
                              'only <std> and "godwit/..."')
    for path in repo.match({'.h', '.cc'}, 'src/'):
        folder = folder_of(path)
        if folder not in LAYERS:
            yield Finding(path, 1, f'folder {folder} is not in the map (LAYERS in tools/check.py)')
            continue
        for line, quoted, name in cxx_text.includes(repo.text(path)):
            target = name.split('/')[0]
            ours = target in LAYERS or target == 'godwit'
            if not quoted and ours and '/' in name:
                yield Finding(path, line, f'write "{name}", <> is for outside headers')
            elif quoted and ('/' not in name or not ours):
                yield Finding(path, line, f'"{name}" must be folder/file.h, godwit/file.h or <...>')
            elif quoted and str(path).endswith('_test.cc') and name.endswith('_fixture.h'):
                pass  # what tests share knows no layers
            elif quoted and not may_include(folder, name):
                yield Finding(path, line, f'{folder} may not include {name} '
                              f'(allowed: {LAYERS[folder]})')


def check_map(repo: Repo) -> Iterator[Finding]:
    """The map in docs/architecture.md and LAYERS say the same."""
    path = 'docs/architecture.md'
    if path not in repo.files:
        return
    mapped, in_table = set(), False
    for number, line in enumerate(repo.text(path).splitlines(), 1):
        cells = [cell.strip().strip('`') for cell in line.strip().strip('|').split('|')]
        if cells[:2] == ['folder', 'may include']:
            in_table, table_line = True, number
        elif not line.lstrip().startswith('|'):
            in_table = False
        elif in_table and re.fullmatch(r'[\w/]*\w', cells[0]):  # one folder, not `a`, `b/`
            mapped.add(cells[0])
            if cells[0] not in LAYERS:
                yield Finding(path, number, f'{cells[0]} is not in LAYERS of tools/check.py')
            elif cells[1].replace('`', '') != LAYERS[cells[0]]:
                yield Finding(path, number, f'{cells[0]} may include "{LAYERS[cells[0]]}" '
                              'according to tools/check.py')
    present = {folder_of(file) for file in repo.match({'.h', '.cc'}, 'src/', 'include/')}
    for folder in sorted((present & set(LAYERS)) - mapped if mapped else ()):
        yield Finding(path, table_line, f'{folder} is missing in the map')


def python_functions(text: str) -> Iterator[cxx_text.Function]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield cxx_text.Function(node.lineno, node.name, node.end_lineno - node.lineno + 1)


def check_sizes(repo: Repo) -> Iterator[Finding]:
    limits = {path: FILE_LINES_MAX for path in repo.match(SIZED)}
    if 'docs/architecture.md' in repo.files:
        limits['docs/architecture.md'] = ARCHITECTURE_LINES_MAX
    for path, lines_max in limits.items():
        lines = repo.text(path).splitlines()
        if len(lines) > lines_max:
            yield Finding(path, len(lines), f'{len(lines)} lines, at most {lines_max}: split it '
                          'by concept')
        if path.endswith('.md'):
            continue
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MAX:
                yield Finding(path, number, f'{len(line)} columns, at most {COLUMNS_MAX}')
        functions = ()
        if path.endswith(('.h', '.cc')):
            functions = cxx_text.functions(repo.code(path))
        elif path.endswith('.py'):
            functions = python_functions(repo.text(path))
        for function in functions:
            if function.lines > FUNCTION_LINES_MAX:
                yield Finding(path, function.line, f'{function.name}() has {function.lines} lines, '
                              f'at most {FUNCTION_LINES_MAX}')


def check_banned(repo: Repo) -> Iterator[Finding]:
    for path in repo.match({'.h', '.cc'}, 'src/', 'include/'):
        for line, condition in cxx_text.conditions(repo.code(path)):
            for word in re.findall(r'\b[A-Za-z_]\w*', condition):
                if not CONDITION_WORD.fullmatch(word):
                    yield Finding(path, line, f'#if {word}: choose the file in CMake instead')
        if path.endswith('_test.cc'):
            continue
        code = re.sub(r'(?m)^[ \t]*#[ \t]*include[^\n]*', lambda m: ' ' * len(m[0]),
                      repo.code(path))
        for rule, pattern, message in BANNED:
            if excepted(rule, path):
                continue
            for match in re.finditer(pattern, code, re.MULTILINE):
                spaces = len(match[0]) - len(match[0].lstrip())
                yield Finding(path, cxx_text.line_at(code, match.start() + spaces), message)
        lines = repo.text(path).splitlines()
        for number, line in enumerate(code.splitlines(), 1):
            if (NEW_OR_DELETE.search(DELETED.sub('', line))
                    and not REASONED_NOLINT.search(' '.join(lines[max(number - 2, 0):number]))):
                yield Finding(path, number, 'new or delete: let an owner do it, or give the reason '
                              'in `// NOLINT: reason`')


def check_words(repo: Repo) -> Iterator[Finding]:
    for path in repo.files:
        for number, line in enumerate(repo.text(path).splitlines(), 1):
            if not excepted('paths', path) and (found := FORBIDDEN.search(line)):
                yield Finding(path, number, f'{found[0]} has no place in this repository')
            if (not path.endswith('.md') and not excepted('unfinished', path)
                    and (found := UNFINISHED.search(line))):
                yield Finding(path, number, f'bare {found[0]}: do it, or write {found[0]}(#issue): '
                              'what is missing')


def check_banners(repo: Repo) -> Iterator[Finding]:
    for path in repo.match({'.h', '.cc'}, 'src/', 'include/'):
        name = path.split('/', 1)[1]
        lines = repo.text(path).splitlines() or ['']
        if not re.match(rf'// {re.escape(name)}: \S', lines[0]):
            yield Finding(path, 1, f'the first line must be `// {name}: purpose`')
        # Highway includes x-inl.h once per instruction set; such headers guard themselves.
        once = path.endswith('.h') and not path.endswith('-inl.h')
        if once and '#pragma once' not in lines:
            yield Finding(path, 1, 'the header lacks `#pragma once`')


def check_scripts(repo: Repo) -> Iterator[Finding]:
    for path in repo.files:
        if repo.text(path).startswith('#!') and not os.access(repo.root / path, os.X_OK):
            yield Finding(path, 1, 'begins with #! and is not executable: chmod +x')


def check_type_names(repo: Repo) -> Iterator[Finding]:
    """One name, one type: of two, a linker takes the code of one for both, without a word."""
    first: dict[str, str] = {}
    for path in repo.match({'.h'}, 'src/', 'include/'):
        if path.endswith('_fixture.h'):
            continue  # each is in tests of its own
        for match in TYPE_DEFINITION.finditer(repo.code(path)):
            other = first.setdefault(match['name'], path)
            if other != path:
                line = repo.code(path).count('\n', 0, match.start()) + 1
                yield Finding(path, line, f'{match["name"]} is also a type of {other}')


def check_tested(repo: Repo) -> Iterator[Finding]:
    """Every source has a test, and every source and test is built."""
    sources = repo.match({'.cc'}, 'src/')
    built = repo.built_files
    for path in sources:
        if built and os.path.realpath(repo.root / path) not in built:
            yield Finding(path, 1, f'is not built: not in {repo.build.name}/compile_commands.json')
        beside = path.removesuffix('.cc') + '_test.cc'
        tested = path.endswith('_test.cc') or beside in sources or path in TESTED_ELSEWHERE
        if not tested:
            yield Finding(path, 1, f'has no test: write {PurePosixPath(beside).name}, or name '
                          'its test in TESTED_ELSEWHERE of tools/tested_elsewhere.py')
    for path, test in TESTED_ELSEWHERE.items():
        if not {path, test} <= set(repo.files):
            yield Finding('tools/check.py', 1, f'TESTED_ELSEWHERE: {path} or {test} is not there')


RULES = [check_includes, check_map, check_sizes, check_banned, check_words, check_banners,
         check_scripts, check_type_names, check_tested, check_links]


def main() -> int:
    parser = argparse.ArgumentParser(description='Checks the rules of this repository.')
    only = parser.add_mutually_exclusive_group()
    only.add_argument('--fast', action='store_true', help='leave out what runs the compiler')
    only.add_argument('--headers', action='store_true', help='only: headers compile alone')
    parser.add_argument('--build', type=Path, metavar='DIR', help='default: build/dev')
    args = parser.parse_args()

    repo = Repo(Path(__file__).resolve().parent.parent, args.build)
    rules = [check_headers] if args.headers else RULES + ([] if args.fast else [check_headers])
    findings = [finding for rule in rules for finding in rule(repo)]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
