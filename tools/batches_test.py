# tools/batches_test.py: which files are put together, and which are not.
import tempfile
import unittest
from pathlib import Path

import batches


class Batches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def batched(self, lines_max: int = 100, **texts: str) -> list[list[str]]:
        files = []
        for name, text in texts.items():
            files.append(self.root / f'{name}.cc')
            files[-1].write_text(text)
        return [[file.stem for file in batch] for batch in batches.batches(files, lines_max)]

    def test_names_of_unnamed_namespaces(self):
        text = '''
#define MACRO 1
namespace godwit { namespace {
using testing::HasSubstr;
using Json = nlohmann::json;
constexpr std::array<int, 3> kValues = {1, 2};
const char* const kText = R"(struct NotThis {)";
struct Case { int inner = 0; void method(); };
class Final final : public Base<Case> {};
enum class Kind : std::uint8_t { kOne, kTwo };
template <class T, class U = std::vector<T>>
Result<std::map<T, U>> templated(const T& value) { return other(value); }
[[nodiscard]] bool has_attribute(int a = 3);
std::vector<int> table[] = {{1}};
TEST(Suite, Name) { const int local = 0; }
}  // namespace
void Outside::of(int it) {}
namespace { int in_second; }
}'''
        self.assertEqual(batches.local_names(text), {
            'MACRO', 'Json', 'kValues', 'kText', 'Case', 'Final', 'Kind', 'templated',
            'has_attribute', 'table', 'in_second'})

    def test_files_with_a_common_name_are_apart(self):
        same = 'namespace {\nint same;\n}\n'
        found = self.batched(a=same, b='int x;\n', c=same, d='int y;\n')
        self.assertEqual(found, [['a', 'b', 'd']])
        self.assertEqual(self.batched(a=same, b=same), [])

    def test_batches_are_not_too_long(self):
        self.assertEqual(self.batched(lines_max=5, a='\n' * 3, b='\n' * 3, c='\n' * 2, d='\n' * 2),
                         [['a', 'c'], ['b', 'd']])

    def test_what_highway_reads_again_is_alone(self):
        found = self.batched(a='int a;', b='#include <hwy/foreach_target.h>\n', c='int c;')
        self.assertEqual(found, [['a', 'c']])


if __name__ == '__main__':
    unittest.main()
