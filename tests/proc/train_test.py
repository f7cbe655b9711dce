#!/usr/bin/env python3
"""tests/proc/train_test.py: `godwit train` as its users run it: alone, with nodes, interrupted,
killed, resumed, and with settings that are wrong.

  train_test.py PATH/godwit [unittest arguments]
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

GODWIT = ''
DATA = 'generated:lowrank,rows=300,columns=40,ratings=10000,held_out=500,rank=2'
SMALL = ('--set', 'rank=2', '--set', 'learning_rate=0.15', '--workers', '1')
# So long that a signal comes before the end.
LONG = ('--epochs', '1000000', '--set', 'judge_every=0')
STARTUP_SECONDS = 30


def variables(**more: str) -> dict[str, str]:
    """The environment without settings of whoever runs the tests."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith('GODWIT_') or name == 'GODWIT_DATA'} | more


class TrainCase(unittest.TestCase):
    def setUp(self) -> None:
        self.dir = tempfile.mkdtemp(prefix='godwit-train-')
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, *parts: str) -> str:
        return os.path.join(self.dir, *parts)

    def write(self, name: str, content: str | bytes) -> str:
        with open(self.path(name), 'wb') as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def read(self, *parts: str) -> str:
        with open(self.path(*parts), encoding='utf-8') as file:
            return file.read()

    def run_any(self, command: list[str], seconds: float = 60,
                **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(command, cwd=self.dir, env=variables(**environment), text=True,
                              capture_output=True, timeout=seconds, check=False)

    def train(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return self.run_any([GODWIT, 'train', *arguments], **environment)

    def final(self, *arguments: str, code: int = 0, **environment: str) -> dict:
        """The last object that a training says."""
        done = self.train(*arguments, '--json', **environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.last_of(done.stdout)

    def last_of(self, out: str) -> dict:
        objects = [json.loads(line) for line in out.splitlines()]
        self.assertTrue(objects[-1]['final'], out)
        self.assertEqual(sum('final' in one for one in objects), 1)
        return objects[-1]

    def start(self, *arguments: str) -> subprocess.Popen:
        """A training in a group of processes of its own."""
        process = subprocess.Popen([GODWIT, 'train', *arguments], cwd=self.dir, env=variables(),
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        self.addCleanup(self.end, process)
        return process

    def end(self, process: subprocess.Popen) -> None:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def wait_for(self, what, message: str, process: subprocess.Popen | None = None):
        deadline = time.monotonic() + STARTUP_SECONDS
        while not (found := what()):
            if process and process.poll() is not None:
                self.fail(f'{message}: it ended with {process.returncode}: {process.stderr.read()}')
            self.assertLess(time.monotonic(), deadline, message)
            time.sleep(0.005)
        return found

    def has_metrics(self, run: str) -> bool:
        """Whether a segment has been trained."""
        try:
            return '"loss"' in self.read(run, 'metrics.jsonl')
        except FileNotFoundError:
            return False

    def step(self, run: str) -> int:
        """Of the newest checkpoint."""
        try:
            return int(self.read(run, 'ckpt', 'LATEST').strip().removeprefix('step-'))
        except FileNotFoundError:
            return 0

    def processes(self) -> dict[int, str]:
        """Those that work in this test's directory, by id: their node, or '' of the launcher."""
        found = {}
        for name in filter(str.isdigit, os.listdir('/proc')):
            try:
                if os.readlink(f'/proc/{name}/cwd') != os.path.realpath(self.dir):
                    continue
                with open(f'/proc/{name}/environ', encoding='utf-8') as file:
                    settings = dict(entry.partition('=')[::2] for entry in file.read().split('\0'))
                found[int(name)] = settings.get('GODWIT_NODE', '')
            except OSError:
                continue
        return found

    def assert_nobody_left(self) -> None:
        self.wait_for(lambda: not self.processes(), f'left: {self.processes()}')


class ResultTest(TrainCase):
    def test_all_numbers_of_nodes_and_consistencies_learn_the_same(self):
        alone = self.final('mf', '--data', DATA, *SMALL, '--epochs', '20')
        self.assertLess(alone['rmse'], 0.12)
        self.assertIn('valid_rmse', alone)
        for nodes, consistency in ((2, 'async'), (2, 'ssp:2'), (2, 'bsp'), (2, 'auto'), (4, 'async')):
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
        train = [GODWIT, 'train', 'mf', '--data', DATA, *SMALL, '--epochs', '3', '--json']
        root = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
        for command in ([GODWIT, 'launch', '--no-logs', '-n', '4', '--'],
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
        done = self.run_any([GODWIT, 'config', 'show', 'mf', *arguments], **environment)
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


class StopTest(TrainCase):
    def expected(self) -> float:
        """What a run without disturbance comes to."""
        return self.final('mf', '--data', DATA, *SMALL, '--epochs', '20', '--run', 'calm')['rmse']

    def finish(self, run: str, expected: float, *arguments: str) -> None:
        """Resumes it; 12 epochs more than the checkpoint has."""
        epochs = str(self.step(run) + 12)
        last = self.final('mf', '--run', run, '--resume', '--epochs', epochs, *arguments)
        self.assertEqual(last['epoch'], int(epochs))
        self.assertLess(last['rmse'], expected * 1.1)

    def test_interrupted_once_it_saves_and_goes_on_later(self):
        expected = self.expected()
        for nodes, sent in (('1', signal.SIGINT), ('2', signal.SIGTERM), ('4', signal.SIGINT)):
            with self.subTest(nodes=nodes, signal=sent):
                run = f'run{nodes}'
                process = self.start('mf', '--data', DATA, *SMALL, *LONG, '--nodes', nodes,
                                     '--run', run)
                self.wait_for(lambda run=run: self.has_metrics(run), 'it does not begin', process)
                process.send_signal(sent)
                out, err = process.communicate(timeout=20)
                self.assertEqual(process.returncode, 130, err)
                self.assertIn('--resume', out)
                self.assertGreater(self.step(run), 0)
                self.assert_nobody_left()
                self.finish(run, expected, '--nodes', '3' if nodes == '2' else '1')

    def test_interrupted_twice_it_ends_at_once(self):
        for nodes in ('1', '2'):
            process = self.start('mf', '--data', DATA, *SMALL, *LONG, '--nodes', nodes, '--run',
                                 f'run{nodes}')
            self.wait_for(lambda nodes=nodes: self.has_metrics(f'run{nodes}'), 'it does not begin',
                          process)
            process.send_signal(signal.SIGINT)
            time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(10), 130)
            self.assert_nobody_left()

    def test_killed_at_any_moment_it_goes_on_from_the_last_checkpoint(self):
        expected = self.expected()
        rng = random.Random(1)
        step = 0
        for nodes in ('1', '3', '2', '1'):
            begin = ('--resume',) if step else ('--data', DATA, *SMALL[:4])
            process = self.start('mf', *begin, '--run', 'run', '--workers', '1', *LONG, '--nodes',
                                 nodes, '--set', 'save_every=0.01')
            step = self.wait_for(lambda step=step: (now := self.step('run')) > step and now,
                                 'no checkpoint', process)
            time.sleep(rng.random() * 0.2)
            for victim in self.processes():
                os.kill(victim, signal.SIGKILL)
            process.wait(10)
            self.assert_nobody_left()
            self.assertGreaterEqual(self.step('run'), step)
            step = self.step('run')
        verified = self.run_any([GODWIT, 'ckpt', 'verify', 'run/ckpt'])
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        self.finish('run', expected, '--nodes', '2', '--workers', '2')

    def test_a_node_that_is_killed_is_named(self):
        expected = self.expected()
        process = self.start('mf', '--data', DATA, *SMALL, *LONG, '--nodes', '4', '--run', 'run',
                             '--set', 'save_every=0.05')
        self.wait_for(lambda: self.step('run'), 'no checkpoint', process)
        victim = next(pid for pid, node in self.processes().items() if node == '2')
        os.kill(victim, signal.SIGKILL)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 3, err)
        self.assertIn('node 2 was killed by signal 9', err)
        self.assert_nobody_left()
        self.finish('run', expected, '--nodes', '2')

    def test_resuming_what_does_not_fit_is_refused(self):
        done = self.train('mf', '--data', DATA, '--resume')
        self.assertEqual(done.returncode, 2)
        self.assertIn("no run in 'runs'", done.stderr)
        self.assertFalse(os.path.exists(self.path('runs')))
        self.final('mf', '--data', DATA, *SMALL, '--epochs', '2')
        before = self.read('runs', 'latest', 'metrics.jsonl')
        other = DATA.replace('rows=300', 'rows=301')
        for task, arguments, words in (
                ('mf', ('--set', 'rank=5'), 'rank is 5, but was 2'),
                ('mf', ('--seed', '2'), 'seed is 2, but was 1'),
                ('mf', ('--data', other), 'rows'),
                ('kge', (), 'is a run of mf, not of kge')):
            for nodes in ('1', '2'):
                with self.subTest(arguments=arguments, nodes=nodes):
                    done = self.train(task, '--resume', *arguments, '--nodes', nodes)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(words, done.stderr)
                    self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
        self.assertEqual(self.read('runs', 'latest', 'metrics.jsonl'), before)
        self.assertEqual(len(os.listdir(self.path('runs'))), 2)

    def test_a_finished_run_may_go_on(self):
        self.final('mf', '--data', DATA, *SMALL, '--epochs', '2')
        self.assertEqual(self.final('mf', '--resume')['epoch'], 2)
        last = self.final('mf', '--resume', '--epochs', '4', '--workers', '1')
        whole = self.final('mf', '--data', DATA, *SMALL, '--epochs', '4')
        self.assertEqual((last['epoch'], last['rmse']), (4, whole['rmse']))


if __name__ == '__main__':
    GODWIT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
