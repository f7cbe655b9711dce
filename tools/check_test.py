# tools/check_test.py: each rule of tools/check.py fires on what it forbids and on nothing else.
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import check
import cxx_text
from repo import Repo

BANNER = '// store/slab.h: rows in memory.\n#pragma once\n'


class Tree(unittest.TestCase):
    """A repository of the files that a test writes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path: str, text: str = ''):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def found(self, rule) -> list[str]:
        return [str(finding) for finding in rule(Repo(self.root))]

    def assert_finds(self, rule, *beginnings: str):
        found = self.found(rule)
        self.assertEqual(len(found), len(beginnings), found)
        for finding, beginning in zip(found, beginnings):
            self.assertIn(beginning, finding)


class Includes(Tree):
    def test_allowed_ones_pass(self):
        self.write('src/store/a.cc', '#include "store/a.h"\n\n#include <vector>\n#include '
                   '<fmt/core.h>\n#include "base/check.h"\n#include "godwit/ids.h"\n')
        self.write('src/cli/main.cc', '#include "bench/bench.h"\n#include "node/session.h"\n')
        self.write('src/bench/store.cc', '#include "store/a.h"\n')
        self.write('src/sim/world.cc', '#include "net/transport.h"\n#include "wire/item.h"\n')
        self.write('include/godwit/ids.h', '#include <cstdint>\n#include "godwit/key.h"\n')
        self.write('tests/sim/x.cc', '#include "cli/args.h"\n')
        self.assert_finds(check.check_includes)

    def test_other_folders_are_refused(self):
        self.write('src/store/a.cc', '\n#include "node/loop.h"\n')
        self.write('src/node/a.cc', '#include "wire/a.h"\n')  # core's neighbour, not node's
        self.write('src/bench/a.cc', '#include "cli/a.h"\n')
        self.write('src/sim/a.cc', '#include "net/tcp.h"\n')
        self.assert_finds(check.check_includes, 'src/bench/a.cc:1: bench may not include cli/a.h',
                          'src/node/a.cc:1: node may not include wire/a.h',
                          'src/sim/a.cc:1: sim may not include net/tcp.h',
                          'src/store/a.cc:2: store may not include node/loop.h')

    def test_spelling(self):
        self.write('src/store/a.cc', '#include "slab.h"\n#include <godwit/ids.h>\n'
                   '#include "hwy/highway.h"\n')
        self.assert_finds(check.check_includes, 'a.cc:1: "slab.h"', 'a.cc:2: write "godwit/ids.h"',
                          'a.cc:3: "hwy/highway.h"')

    def test_public_headers_include_only_std_and_public_headers(self):
        self.write('include/godwit/a.h', '#include "base/check.h"\n#include <fmt/core.h>\n'
                   '#include "a.h"\n')
        self.assert_finds(check.check_includes, 'a.h:1:', 'a.h:2:', 'a.h:3:')

    def test_unknown_folder(self):
        self.write('src/util/a.cc', '')
        self.assert_finds(check.check_includes, 'folder util is not in the map')


class Map(Tree):
    HEAD = '# Map\n\n| folder | may include | what |\n|---|---|---|\n'

    def test_agreement_passes(self):
        self.write('src/core/a.cc')
        self.write('docs/architecture.md', self.HEAD +
                   '| `core` | wire, store, placement, clock, pace | x |\n'
                   '| `tests/`, `fuzz/` | - | x |\n\n| other | table |\n|---|---|\n| a | b |\n')
        self.assert_finds(check.check_map)

    def test_no_page_or_no_table_passes(self):
        self.write('src/core/a.cc')
        self.assert_finds(check.check_map)
        self.write('docs/architecture.md', '# Prose\n')
        self.assert_finds(check.check_map)

    def test_differences_are_found(self):
        self.write('src/core/a.cc')
        self.write('docs/architecture.md', self.HEAD + '| `store` | base, net | x |\n'
                   '| `util` | base | x |\n')
        self.assert_finds(check.check_map, ':5: store may include "base"', ':6: util is not in',
                          ':3: core is missing')


class Sizes(Tree):
    def test_limits_are_inclusive(self):
        body = '  call();\n' * 68
        self.write('src/store/a.cc', f'void f() {{\n{body}}}\n' + '//' + 'x' * 98 + '\n')
        self.write('src/store/b.h', '\n' * 399)
        self.write('docs/architecture.md', '\n' * 200)
        self.assert_finds(check.check_sizes)

    def test_more_is_found(self):
        body = '  call();\n' * 69
        self.write('docs/architecture.md', '\n' * 201)
        self.write('src/store/a.cc', f'void f() {{\n{body}}}\n' + '//' + 'x' * 99 + '\n')
        self.write('src/store/b.h', '\n' * 400)
        self.write('tools/c.py', 'def long():\n' + '    call()\n' * 70)
        self.assert_finds(check.check_sizes, 'a.cc:72: 101 columns', 'a.cc:1: f() has 71 lines',
                          'b.h:400: 400 lines', 'c.py:1: long() has 71 lines',
                          'architecture.md:201: 201 lines')


class Functions(unittest.TestCase):
    def functions(self, text: str) -> list[tuple[str, int]]:
        return [(function.name, function.lines)
                for function in cxx_text.functions(cxx_text.blank(text))]

    def test_bodies_are_found(self):
        self.assertEqual(self.functions('''
namespace a {
class [[nodiscard]] Slab final : public Base<int> {
 public:
  Slab(int rows) : rows_{rows}, bytes_(4), more_{} {
    start();
  }
  bool empty() const noexcept override { return [&] { return true; }(); }
  template <class T = int>
  auto at(T i) const -> std::vector<T> {
    if (i) {
    }
  }
  bool operator==(const Slab& other) const {
  }
  std::atomic<int> rows_{0};
};
TEST(Slab, IsEmpty) {
}
}
'''), [('Slab', 3), ('empty', 1), ('at', 5), ('operator==', 2), ('TEST', 2)])

    def test_types_and_values_are_none(self):
        self.assertEqual(self.functions('''
namespace { enum class E { kA, kB }; }
extern "C" {
class GODWIT_CAPABILITY("mutex") Mutex { int x; };
template <class T, class = std::enable_if_t<(sizeof(T) > 1)>> struct A { T t; };
template <class T> requires(sizeof(T) > 1) struct B { T t; };
constexpr int kTable[f(3)] = { 1, 2 };
const std::map<int, int> map = make({ {1, 2} });
std::array<int, size(3)> values{ 1, 2 };
#define GODWIT_X(a) if (a) { \\
  }
}
// void f() {
const char* text = R"(void f() { )";
const char* brace = "f() {"; char c = '{'; int n = 1'000;
'''), [])


class Banned(Tree):
    def banned(self, code: str, path: str = 'src/store/a.cc') -> list[str]:
        self.write(path, code)
        return [finding.split(': ', 1)[1] for finding in self.found(check.check_banned)]

    def test_each_is_found(self):
        for code, message in [
                ('throw Error();', 'no throw'),
                ('auto* p = std::getenv("HOME");', 'environment'),
                ('std::this_thread::sleep_for(1ms);', 'sleeping'), ('usleep(1);', 'sleeping'),
                ('int x = rand();', 'replayed'), ('std::srand(1);', 'replayed'),
                ('std::random_device device;', 'replayed'),
                ('std::cout << 1;', 'stdout'), ('printf("x");', 'stdout'),
                ('fmt::print("x");', 'stdout'), ('std::fprintf(stdout, "x");', 'stdout'),
                ('std::thread t;', 'jthread'), ('using namespace std;', 'using namespace'),
                ('if (bad) abort();', 'ends'), ('std::exit(1);', 'ends'),
                ('auto* p = new int;', 'new or delete'), ('delete p;', 'new or delete'),
                ('auto* p = new int;  // NOLINT', 'new or delete'),
                ('static int count = 0;', 'mutable static'),
                ('thread_local Cache cache;', 'mutable static'),
                ('static std::vector<int> all{};', 'mutable static'),
                ('#ifdef __linux__\n#endif', '#if __linux__'),
                ('#if defined(_WIN32) && X\n#endif', '#if _WIN32')]:
            with self.subTest(code):
                found = self.banned(f'void f() {{\n{code}\n}}\n')
                self.assertTrue(found and message in found[0], found)

    def test_look_alikes_pass(self):
        for code in [
                '// throw, std::cout, new', 'log("throw new int; abort();");', '#include <new>',
                'Slab(const Slab&) = delete;', 'void abort(Step step);', 'step.abort();',
                'steps->exit(1);', 'Transfers::abort(id);', 'std::thread::hardware_concurrency();',
                'std::this_thread::yield();', 'auto* p = new (at) int;  // NOLINT: placement',
                'return Owner(  // NOLINT: private\n    new int);',
                'static_assert(sizeof(int) == 4);', 'static constexpr int kX = 1;',
                'static const std::string name = "x";', 'static Slab make(int rows);',
                'static Slab& at(int i) { return x; }', 'static bool operator==(A, B) = default;',
                'static thread_local const int x = 1;', 'std::fprintf(stderr, "x");',
                'fmt::print(stderr, "x");', 'snprintf(buffer, 4, "x");', 'generator.rand();',
                'using namespace std::chrono_literals;', 'throw_away(x);',
                '#if defined(__clang__) && !defined(HWY_TARGET_TOGGLE)\n#endif',
                '#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)\n#endif']:
            with self.subTest(code):
                self.assertEqual(self.banned(f'void f() {{\n{code}\n}}\n'), [])

    def test_tests_and_excepted_paths_pass(self):
        self.assertEqual(self.banned('auto* x = getenv("A"); throw 1;', 'src/base/a_test.cc'), [])
        self.assertEqual(self.banned('auto* x = getenv("A"); printf("x");', 'src/cli/a.cc'), [])
        self.assertEqual(self.banned('auto* x = getenv("A");', 'src/node/session.cc'), [])
        self.assertEqual(len(self.banned('auto* x = getenv("A");', 'src/node/loop.cc')), 1)

    def test_every_exception_has_a_reason(self):
        for rule, path, reason in check.EXCEPTIONS:
            self.assertTrue(rule and path and len(reason) > 10, path)


class Words(Tree):
    def test_forbidden_ones_are_found(self):
        for text in ['see /work/main', 'https://pypi.org/x', '/tmp/bash_jobs.0/', '../shared/data',
                     '// TODO: later', '# FIXME']:
            with self.subTest(text):
                self.write('src/a.cc', '\n' + text)
                found = self.found(check.check_words)
                self.assertEqual([f.startswith('src/a.cc:2: ') for f in found], [True], found)

    def test_others_pass(self):
        self.write('src/a.cc', 'docs/work/x\n// TODO(#12): the second case\nnetwork/ok\n')
        self.write('.ci/run', '../shared/data\n')
        self.write('image.png', '\0/work/')
        self.write('build/x', '/work/')
        self.write('other/CMakeCache.txt', '/work/')
        self.assert_finds(check.check_words)


class Banners(Tree):
    def test_good_ones_pass(self):
        self.write('src/store/slab.h', BANNER)
        self.write('src/store/slab.cc', '// store/slab.cc: rows in memory.\n')
        self.write('include/godwit/ids.h', '// godwit/ids.h: numbers.\n#pragma once\n')
        self.assert_finds(check.check_banners)

    def test_bad_ones_are_found(self):
        self.write('src/store/rows.h', BANNER)
        self.write('src/store/slab.cc', '')
        self.write('src/store/slab.h', BANNER.replace('#pragma once', ''))
        self.assert_finds(check.check_banners, 'rows.h:1: the first line must be `// store/rows.h:',
                          'slab.cc:1: the first line', 'slab.h:1: the header lacks')


class Scripts(Tree):
    def test_can_be_run(self):
        self.write('tools/a', '#!/bin/sh\n')
        self.write('tools/b', '#!/bin/sh\n')
        self.write('tools/c.py', 'import os  # for others\n')
        (self.root / 'tools/b').chmod(0o755)
        self.assert_finds(check.check_scripts, 'tools/a:1: begins with #! and is not executable')


class TypeNames(Tree):
    def test_two_types_of_one_name_are_found(self):
        self.write('src/store/a.h', 'struct Row {\n};\nclass [[nodiscard]] Table {\n')
        self.write('src/wire/b.h', '\nclass Row final : public Base {\n')
        self.write('src/wire/c.h', 'enum class Table : int {\n')
        self.assert_finds(check.check_type_names, 'src/wire/b.h:2: Row is also a type of '
                          'src/store/a.h', 'src/wire/c.h:1: Table is also a type of')

    def test_others_pass(self):
        self.write('src/store/a.h', 'struct Row;\nclass Box {\n  struct Row {\n')
        self.write('src/wire/b.h', 'struct Row {\n')
        self.write('src/wire/b_fixture.h', 'struct Row {\n')
        self.write('src/wire/c.cc', 'struct Row {\n')
        self.assert_finds(check.check_type_names)


class Tested(Tree):
    def setUp(self):
        super().setUp()
        no_entries = mock.patch.dict(check.TESTED_ELSEWHERE, clear=True)
        no_entries.start()
        self.addCleanup(no_entries.stop)

    def test_sources_need_a_test(self):
        self.write('src/store/a.cc')
        self.write('src/store/a_test.cc')
        self.write('src/store/b.cc')
        self.assert_finds(check.check_tested, 'src/store/b.cc:1: has no test: write b_test.cc')
        with mock.patch.dict(check.TESTED_ELSEWHERE, {'src/store/b.cc': 'src/store/a_test.cc'}):
            self.assert_finds(check.check_tested)
        with mock.patch.dict(check.TESTED_ELSEWHERE, {'src/store/b.cc': 'tests/gone.cc'}):
            self.assert_finds(check.check_tested, 'TESTED_ELSEWHERE')

    def test_sources_must_be_built(self):
        self.write('src/store/a.cc')
        self.write('src/store/a_test.cc')
        self.write('build/dev/compile_commands.json', json.dumps(
            [{'directory': str(self.root), 'file': 'src/store/a.cc', 'command': 'g++'}]))
        self.assert_finds(check.check_tested, 'src/store/a_test.cc:1: is not built')
        self.write('build/dev/unity_1.cxx', f'#include "{self.root}/src/store/a_test.cc"\n')
        self.write('build/dev/compile_commands.json', json.dumps(
            [{'directory': str(self.root), 'file': file, 'command': 'g++'}
             for file in ('src/store/a.cc', 'build/dev/unity_1.cxx')]))
        self.assert_finds(check.check_tested)


class Links(Tree):
    def test_good_ones_pass(self):
        self.write('docs/a.md', '# One, `two`!\n## Same\n## Same\n[x](b.md#title) [y](#one-two) '
                   '[z](#same-1) [w](../LICENSE) [v](https://x.org/#a) [u](/docs) `[t](none)`\n'
                   '```\n[s](none)\n```\n')
        self.write('docs/b.md', '# Title\n')
        self.write('LICENSE')
        self.assert_finds(check.check_links)

    def test_dead_ones_are_found(self):
        self.write('docs/a.md', '# One\n```\n# no heading\n```\n[x](none.md)\n[y](#no-heading)\n'
                   '![z](../../out.png)\n')
        self.assert_finds(check.check_links, 'a.md:5: link to none.md', 'a.md:6: link to #no-head',
                          'a.md:7: link to ../../out.png')


class Headers(Tree):
    def test_each_header_compiles_alone(self):
        self.write('src/store/good.h', '#pragma once\n#include <vector>\nstd::vector<int> f();\n')
        self.assert_finds(check.check_headers, 'no compile_commands.json')
        self.write('build/dev/compile_commands.json', json.dumps([
            {'directory': '/', 'file': 'a.cc', 'command': f'g++ -I{self.root}/src -o a.o a.cc'}]))
        self.assert_finds(check.check_headers)
        self.write('src/store/bad.h', '#pragma once\nstd::vector<int> f();\n')
        self.assert_finds(check.check_headers, 'src/store/bad.h:1: does not compile alone')

    def test_what_others_include_is_not_precompiled_for_who_does_not(self):
        self.write('build/dev/compile_commands.json', json.dumps([
            {'directory': '/', 'file': 'a.cc', 'command': f'g++ -I{self.root}/src -o a.o a.cc'}]))
        for number in range(4):  # a set that is worth it
            self.write(f'src/store/good_{number}.h', '#pragma once\n#include <map>\n#include '
                       '<string>\nstd::map<int, std::string> f();\n')
        self.write('src/store/string.h', '#pragma once\n#include <string>\nstd::map<int, '
                   'std::string> f();\n')
        self.write('src/store/never.h', '#pragma once\n#ifdef NEVER\n#include <map>\n#endif\n'
                   '#include <string>\nstd::map<int, std::string> f();\n')
        self.assert_finds(check.check_headers, 'src/store/never.h:1: does not compile alone',
                          'src/store/string.h:1: does not compile alone')


class CommandLine(unittest.TestCase):
    def run_check(self, *args: str) -> int:
        script = Path(__file__).with_name('check.py')
        return subprocess.run([sys.executable, script, *args], capture_output=True).returncode

    def test_options(self):
        self.assertEqual(self.run_check('--help'), 0)
        self.assertEqual(self.run_check('--fast', '--headers'), 2)
        self.assertEqual(self.run_check('--none'), 2)
        self.assertEqual(self.run_check('--headers', '--build', 'none'), 1)


if __name__ == '__main__':
    unittest.main()
