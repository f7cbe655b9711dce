#!/usr/bin/env python3
"""tests/proc/train_test.py: `godwit train` as its users run it: alone, with nodes, under launchers,
with settings from everywhere, and with input that is wrong.

  train_test.py PATH/godwit [unittest arguments]
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess

from train_case import DATA, LONG, SMALL, TrainCase, main


class ResultTest(TrainCase):
    def test_all_numbers_of_nodes_and_consistencies_learn_the_same(self):
        alone = self.final('mf', '--data', DATA, *SMALL, '--epochs', '20')
        self.assertLess(alone['rmse'], 0.12)
        self.assertIn('valid_rmse', alone)
        # Four asynchronous nodes on a busy machine may be far apart for all of so short a run: then
        # nothing but a bound on that makes them learn the same.
        for nodes, consistency in ((2, 'async'), (2, 'ssp:2'), (2, 'bsp'), (2, 'auto'),
                                   (4, 'ssp:2')):
            with self.subTest(nodes=nodes, consistency=consistency):
                other = self.final('mf', '--data', DATA, *SMALL, '--epochs', '20', '--nodes',
                                   str(nodes), '--consistency', consistency, '--set',
                                   'judge_every=0')
                self.assertLess(abs(other['rmse'] - alone['rmse']), 0.1 * alone['rmse'])
        self.assert_nobody_left()

    def test_a_run_leaves_a_directory_that_says_all(self):
        done = self.train('mf', '--data', DATA, *SMALL, '--epochs', '3', '--nodes', '2', '--quiet')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '', ''))
        run = os.path.realpath(self.path('runs', 'latest'))
        self.assertRegex(os.path.basename(run), r'^\d{8}-\d{6}-mf-lowrank$')
        for name in ('metrics.jsonl', 'config.toml', 'env.json', 'report.html', 'ckpt/LATEST'):
            self.assertGreater(os.path.getsize(os.path.join(run, name)), 0, name)
        for line in self.read(run, 'metrics.jsonl').splitlines():
            json.loads(line)
        json.loads(self.read(run, 'env.json'))
        self.assertEqual(self.step(run), 3)
        html = self.read(run, 'report.html')
        addresses = set(re.findall(r'\w+://[^"\'\s<>)]+', html)) - {'http://www.w3.org/2000/svg'}
        self.assertEqual(addresses, set())
        self.assertNotRegex(html, r'\b(src|href)\s*=\s*["\']?//')

    def test_the_same_seed_gives_the_same_result(self):
        for arguments in (('--nodes', '1'), ('--nodes', '2', '--consistency', 'bsp')):
            with self.subTest(arguments=arguments):
                results = [self.final('mf', '--data', DATA, *SMALL, '--epochs', '4', *arguments)
                           for _ in range(2)]
                self.assertEqual(results[0]['rmse'], results[1]['rmse'])
        other = self.final('mf', '--data', DATA, *SMALL, '--epochs', '4', '--seed', '2')
        self.assertNotEqual(other['rmse'], results[0]['rmse'])

    def test_other_tasks_say_their_own_quality(self):
        graph = ''.join(f'n{i}\tnext\tn{(i + 1) % 60}\nn{i}\ttwice\tn{2 * i % 60}\n'
                        for i in range(60))
        self.write('graph.tsv', graph)
        last = self.final('kge', '--data', 'graph.tsv', '--epochs', '2', '--nodes', '2',
                          '--workers', '1')
        self.assertIn('mrr', last)
        last = self.final('ctr', '--data', 'generated:ctr,rows=2000,held_out=500', '--epochs', '1',
                          '--workers', '1')
        self.assertIn('auc', last)

    def test_other_launchers_start_the_nodes(self):
        train = [self.godwit, 'train', 'mf', '--data', DATA, *SMALL, '--epochs', '3', '--json']
        root = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
        for command in ([self.godwit, 'launch', '--no-logs', '-n', '4', '--'],
                        ['mpirun.openmpi', '--oversubscribe', '-n', '4']):
            with self.subTest(command=command[0]):
                if not shutil.which(command[0]):
                    continue
                done = self.run_any([*command, *train, '--run', os.path.basename(command[0])],
                                    **root)
                self.assertEqual(done.returncode, 0, done.stderr)
                objects = [line[line.index('{'):] for line in done.stdout.splitlines()]
                self.last_of('\n'.join(objects))
                start = json.loads(self.read(os.path.basename(command[0]),
                                             'metrics.jsonl').splitlines()[0])
                self.assertEqual(start['nodes'], 4)
                # A number of nodes that contradicts the launcher's.
                done = self.run_any([*command, *train, '--nodes', '3'], **root)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn('--nodes is 3, but', done.stderr + done.stdout)


class SettingsTest(TrainCase):
    def shown(self, *arguments: str, **environment: str) -> list[str]:
        """Value and source of rank."""
        done = self.run_any([self.godwit, 'config', 'show', 'mf', *arguments], **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.search(r'^\W*rank\s+(\S+)\s+(\S+)', done.stdout, re.MULTILINE).groups()

    def test_each_source_wins_over_those_before_it(self):
        self.assertEqual(self.shown()[1], 'built-in')
        self.write('godwit.toml', 'rank = 5\n')
        self.assertEqual(self.shown(), ('5', 'godwit.toml'))
        self.write('my.toml', 'rank = 6\n')
        self.assertEqual(self.shown('--config', 'my.toml'), ('6', '--config'))
        self.assertEqual(self.shown('--config', 'my.toml', GODWIT_RANK='7'), ('7', 'environment'))
        self.assertEqual(self.shown('--config', 'my.toml', '--set', 'rank=8', GODWIT_RANK='7'),
                         ('8', 'flag'))
        self.final('mf', '--data', DATA, '--epochs', '1', '--config', 'my.toml', '--nodes', '2',
                   GODWIT_RANK='7')
        self.assertIn('\nrank = 7 ', self.read('runs', 'latest', 'config.toml'))
        self.assertRegex(self.read('runs', 'latest', 'config.toml'), r'\npenalty = \S+  # auto; ')

    def test_a_runs_own_config_gives_the_same_run(self):
        first = self.final('mf', '--data', DATA, *SMALL, '--epochs', '3', '--set', 'penalty=.02',
                           '--set', 'learning_rate=0.0312345678901', '--seed', '007')
        shutil.copy(self.path('runs', 'latest', 'config.toml'), self.path('again.toml'))
        second = self.final('mf', '--data', DATA, '--config', 'again.toml')
        self.assertEqual(first['rmse'], second['rmse'])

    def test_what_is_wrong_is_named(self):
        self.write('rnak.toml', 'epochs = 3\nrnak = 3\n')
        self.write('torn.toml', 'epochs = 3\nrank = \n')
        for arguments, words in (
                (('--set', 'rnak=3'), "did you mean 'rank'"),
                (('--config', 'rnak.toml'), "rnak.toml: there is no setting 'rnak'"),
                (('--config', 'torn.toml'), 'torn.toml:2'),
                (('--config', 'none.toml'), 'none.toml'),
                (('--set', 'rank=0'), 'between 1 and'),
                (('--set', 'rank=many'), "'many'"),
                (('--set', 'learning_rate=nan'), "'nan'"),
                (('--consistency', 'ssp:x'), 'ssp:x'),
                (('--nodes', '0'), '--nodes is 0')):
            with self.subTest(arguments=arguments):
                done = self.train('mf', '--data', DATA, *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
        done = self.train('mf', '--data', DATA, GODWIT_RANK='x')
        self.assertEqual(done.returncode, 2)
        self.assertIn('GODWIT_RANK: rank', done.stderr)
        self.assertFalse(os.path.exists(self.path('runs')))


class InputTest(TrainCase):
    def test_bad_input_is_one_line_and_leaves_nothing(self):
        good = ''.join(f'u{i}\ti{i % 7}\t{i % 5}\n' for i in range(30))
        self.write('empty.tsv', '')
        self.write('binary.tsv', random.Random(1).randbytes(3000))
        self.write('columns.tsv', good + 'u1\ti1\n')
        self.write('nan.tsv', good + 'u1\ti9\tnan\n')
        self.write('one.tsv', 'a\tr\ta\n')
        for task, data, words in (
                ('mf', 'none.tsv', "'none.tsv'"), ('mf', 'empty.tsv', 'empty'),
                ('mf', 'binary.tsv', 'binary.tsv:'), ('mf', 'columns.tsv', 'columns.tsv:31:'),
                ('mf', 'nan.tsv', 'nan.tsv:31:'), ('kge', 'one.tsv', 'one entity'),
                ('fm', 'nan.tsv', "no task 'fm'"), ('mf', 'movietweetings', 'known'),
                ('mf', 'generated:lowrnk', "'lowrank'")):
            for nodes in ('1', '3'):
                with self.subTest(task=task, data=data, nodes=nodes):
                    done = self.train(task, '--data', data, '--nodes', nodes)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(words, done.stderr)
                    self.assertEqual((done.stdout, done.stderr.count('\n')), ('', 1), done.stderr)
        self.assertFalse(os.path.exists(self.path('runs')))

    def test_more_nodes_than_rows_work(self):
        last = self.final('mf', '--data', 'generated:lowrank,rows=2,columns=2,ratings=4,held_out=2',
                          '--nodes', '3', '--epochs', '2', *SMALL)
        self.assertEqual(last['outcome'], 'finished')

    def test_a_loss_that_is_no_number_is_said_once(self):
        done = self.train('mf', '--data', DATA, *SMALL, '--set', 'learning_rate=100', '--epochs',
                          '50', '--nodes', '2')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count('learning rate is too large'), 1, done.stderr)

    def test_a_directory_that_is_there_is_not_touched(self):
        os.mkdir(self.path('mine'))
        for nodes in ('1', '2'):
            done = self.train('mf', '--data', DATA, '--run', 'mine', '--nodes', nodes)
            self.assertEqual(done.returncode, 2)
            self.assertIn("'mine' is there already", done.stderr)
        self.assertEqual(os.listdir(self.path('mine')), [])

    def test_a_directory_that_cannot_be_made_is_an_error(self):
        self.write('file', 'x')
        done = self.train('mf', '--data', DATA, '--run', 'file/run', '--nodes', '2', *SMALL)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertIn('file', done.stderr)
        self.assertEqual(done.stderr.count('cannot'), 1, done.stderr)

    def test_a_full_disk_does_not_look_like_a_saved_model(self):
        os.mkdir(self.path('tiny'))
        mount = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=200k', 'tmpfs',
                                self.path('tiny')], capture_output=True, check=False)
        if mount.returncode != 0:
            self.skipTest('needs the right to mount a small disk')
        try:
            done = self.train('mf', '--data', DATA, '--set', 'rank=512', '--epochs', '2', '--run',
                              'tiny/run', '--nodes', '2')
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn('No space left', done.stderr)
            self.assertIn('rmse', done.stdout)
            self.assertEqual(os.listdir(self.path('tiny', 'run', 'ckpt')), [])
            done = self.train('mf', '--run', 'tiny/run', '--resume')
            self.assertEqual(done.returncode, 2)
            self.assertIn('there is no checkpoint', done.stderr)
        finally:
            subprocess.run(['umount', self.path('tiny')], check=True)

    def test_a_closed_pipe_ends_it(self):
        for nodes in ('1', '3'):
            process = self.start('mf', '--data', DATA, *SMALL, *LONG, '--set', 'save_every=0.2',
                                 '--set', 'judge_every=1', '--nodes', nodes)
            os.read(process.stdout.fileno(), 1)
            process.stdout.close()
            self.assertIn(process.wait(20), (-signal.SIGPIPE, 128 + signal.SIGPIPE))
            self.assert_nobody_left()


if __name__ == '__main__':
    main()
