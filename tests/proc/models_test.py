#!/usr/bin/env python3
"""tests/proc/models_test.py: a run is judged, asked and exported by processes of their own.

  models_test.py PATH/godwit [unittest arguments]
"""
import array
import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GODWIT = ''
RATINGS = [(user, item, 1 + (user * item) % 5) for user in range(40) for item in range(25)
           if (user + item) % 3]


class ModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix='godwit-models-')
        with open(os.path.join(cls.directory, 'my.csv'), 'w', encoding='utf-8') as file:
            file.write('user,item,rating\n')
            for user, item, rating in RATINGS:
                file.write(f'u{user},film {item},{rating}\n')
        code, out, err = cls.godwit('train', 'mf', '--data', 'my.csv', '--run', 'runs/mf',
                                    '--epochs', '5', '--set', 'rank=4', '--json')
        assert code == 0, out + err
        cls.trained = json.loads(out.splitlines()[-1])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)

    @classmethod
    def godwit(cls, *arguments):
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith('GODWIT_')}
        done = subprocess.run([GODWIT, *arguments], cwd=cls.directory, capture_output=True,
                              env=variables, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_eval_finds_the_figures_of_training(self):
        for split, name in (('test', 'rmse'), ('valid', 'valid_rmse')):
            code, out, err = self.godwit('eval', '--split', split, '--json')
            self.assertEqual(code, 0, err)
            self.assertAlmostEqual(json.loads(out)['rmse'], self.trained[name], places=6)

    def test_recommended_is_only_what_was_not_rated(self):
        rated = {f'film {item}' for user, item, _ in RATINGS if user == 7}
        code, out, err = self.godwit('query', 'latest', 'recommend', 'u7', '-n', '99', '--json')
        self.assertEqual(code, 0, err)
        names = {answer['name'] for answer in json.loads(out)['answers']}
        self.assertEqual(names, {f'film {item}' for item in range(25)} - rated)

    def test_without_the_data_names_are_still_known(self):
        hidden = os.path.join(self.directory, 'my.csv')
        os.rename(hidden, hidden + '.hidden')
        try:
            code, out, err = self.godwit('query', 'latest', 'recommend', 'u7', '-n', '99', '--json')
            self.assertEqual(code, 0, err)
            self.assertEqual(len(json.loads(out)['answers']), 25)
            self.assertIn('not left out', json.loads(out)['notes'][0])
            self.assertEqual(self.godwit('eval')[0], 2)
        finally:
            os.rename(hidden + '.hidden', hidden)

    def test_other_data_are_not_judged_by_rows_of_these(self):
        with open(os.path.join(self.directory, 'other.csv'), 'w', encoding='utf-8') as file:
            file.write('user,item,rating\n')
            for user, item, rating in reversed(RATINGS):
                file.write(f'u{user},film {item},{rating}\n')
        code, _, err = self.godwit('eval', '--data', 'other.csv')
        self.assertEqual(code, 2)
        self.assertIn('called otherwise', err)

    def test_csv_and_npy_hold_the_same_numbers(self):
        for form in ('csv', 'npy'):
            code, out, err = self.godwit('export', 'latest', '--format', form, '--out', 'x')
            self.assertEqual(code, 0, out + err)
        with open(os.path.join(self.directory, 'x/column_factors.csv'), newline='',
                  encoding='utf-8') as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ['name', 'f0', 'f1', 'f2', 'f3', 'bias'])
        with open(os.path.join(self.directory, 'x/column_factors.npy'), 'rb') as file:
            data = file.read()
        begin = 10 + int.from_bytes(data[8:10], 'little')
        self.assertIn(b"'shape': (25, 5)", data[:begin])
        wanted = array.array('f', [float(cell) for row in rows[1:] for cell in row[1:]])
        self.assertEqual(data[begin:], wanted.tobytes())

    def write(self, name, text):
        with open(os.path.join(self.directory, name), 'w', encoding='utf-8') as file:
            file.write(text)

    def exported(self, run, table):
        """Names and numbers of a table's rows, and what else the export says."""
        code, out, err = self.godwit('export', run, '--format', 'csv', '--out', run + '-csv')
        self.assertEqual(code, 0, err)
        with open(os.path.join(self.directory, run + '-csv', table + '.csv'), newline='',
                  encoding='utf-8') as file:
            rows = list(csv.reader(file))[1:]
        return {row[0]: [float(cell) for cell in row[1:]] for row in rows}, out

    def test_weights_of_lasso_predict_without_the_data(self):
        draw = random.Random(3)
        features = (3, 10, 11, 40, 1000)
        lines = []
        for _ in range(400):
            x = {feature: round(draw.gauss(0, 1), 3) for feature in features}
            y = 7 + 2 * x[3] - 3 * x[1000] + draw.gauss(0, 0.01)
            lines.append(f'{y:.5f} ' + ' '.join(f'{i}:{x[i]}' for i in features))
        self.write('numbers.svm', '\n'.join(lines) + '\n')
        code, out, err = self.godwit('train', 'lasso', '--data', 'numbers.svm', '--run', 'lasso',
                                     '--workers', '1')
        self.assertEqual(code, 0, out + err)
        weights, said = self.exported('lasso', 'weights')
        self.assertEqual(list(weights), ['3', '10', '11', '40', '1000', 'intercept'])
        mean = float(re.search(r'^constants of the model: mean (\S+)$', said, re.M).group(1))
        self.assertAlmostEqual(weights['3'][0], 2, delta=0.02)
        self.assertAlmostEqual(weights['1000'][0], -3, delta=0.02)
        self.assertAlmostEqual(mean + weights['intercept'][0], 7, delta=0.02)
        self.assertRegex(out, r'  support 2  ?')
        self.assertNotIn('support 2.0', out)
        code, _, err = self.godwit('query', 'lasso', 'predict', '3:1')
        self.assertEqual(code, 2)
        self.assertIn('godwit export', err)

    def test_topics_of_lda_have_their_words(self):
        draw = random.Random(4)
        kinds = [[letter * 2 + end for end in 'abcdefgh'] for letter in 'pq']
        self.write('text.txt', ''.join(' '.join(draw.choices(draw.choice(kinds), k=15)) + '\n'
                                       for _ in range(200)))
        code, out, err = self.godwit('train', 'lda', '--data', 'text.txt', '--run', 'lda',
                                     '--set', 'topics=2', '--set', 'max_share=1', '--epochs', '20',
                                     '--workers', '1')
        self.assertEqual(code, 0, out + err)
        self.assertIn(', 20 epochs,', out)
        self.assertIn('1 node x 1 worker,', out)
        self.assertRegex(out, r'counts_off 0\b(?!\.)')
        words, said = self.exported('lda', 'word_topics')
        self.assertEqual(set(words), {word for kind in kinds for word in kind})
        for kind in kinds:
            topics = {counts.index(max(counts)) for word, counts in words.items() if word in kind}
            self.assertEqual(len(topics), 1, words)
        self.assertIn('topics: 1 row of 2 ', said)

    def test_words_without_questions_are_not_judged(self):
        self.write('words.txt', 'a b c d e f g h\n' * 30)
        code, out, err = self.godwit('train', 'w2v', '--data', 'words.txt', '--run', 'w2v',
                                     '--epochs', '1', '--set', 'rank=4')
        self.assertEqual(code, 0, out + err)
        self.assertRegex(out, r'\nfinished after [0-9.]+ s\n')
        self.assertEqual(out.count('100%'), 1, out)
        code, out, err = self.godwit('eval', 'w2v')
        self.assertEqual((code, out), (2, ''))
        self.assertIn('nothing to judge by', err)

    def test_damage_is_told_from_what_is_not_there(self):
        broken = os.path.join(self.directory, 'broken')
        shutil.copytree(os.path.join(self.directory, 'runs/mf'), broken)
        step = os.path.join(broken, 'ckpt', self.latest(broken))
        shard = next(name for name in os.listdir(step) if name.startswith('row_factors'))
        with open(os.path.join(step, shard), 'r+b') as file:
            file.seek(-3, os.SEEK_END)
            file.write(b'?')
        for words in (['eval', './broken'], ['query', './broken', 'recommend', 'u7'],
                      ['export', './broken', '--format', 'csv']):
            code, _, err = self.godwit(*words)
            self.assertEqual(code, 1, err)
            self.assertIn('damaged', err)
        shutil.rmtree(os.path.join(broken, 'ckpt'))
        self.assertEqual(self.godwit('eval', './broken')[0], 2)
        self.assertEqual(self.godwit('query', './broken', 'recommend', 'u7')[0], 2)

    @staticmethod
    def latest(run):
        with open(os.path.join(run, 'ckpt/LATEST'), encoding='utf-8') as file:
            return file.read().strip()


if __name__ == '__main__':
    GODWIT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
