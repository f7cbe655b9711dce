#!/usr/bin/env python3
"""tests/proc/train_stop_test.py: `godwit train` interrupted, killed and resumed.

  train_stop_test.py PATH/godwit [unittest arguments]
"""
import os
import random
import signal
import time

from train_case import DATA, LONG, SMALL, TrainCase, main


class StopTest(TrainCase):
    def expected(self) -> float:
        """What a run without disturbance comes to."""
        return self.final('mf', '--data', DATA, *SMALL, '--epochs', '20', '--run', 'calm')['rmse']

    def finish(self, run: str, expected: float, *arguments: str) -> None:
        """Resumes it, for as many epochs as the calm run had, whatever the checkpoint has."""
        epochs = str(self.step(run) + 20)
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
        verified = self.run_any([self.godwit, 'ckpt', 'verify', 'run/ckpt'])
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

    def test_steps_go_on_with_fewer_workers(self):
        linear = 'generated:linear,rows=20000,features=60'
        begun = ('--data', linear, '--run', 'run', '--workers', '1', '--epochs', '2')
        self.final('linreg', *begun, '--nodes', '3', '--pace', 'fixed:k=3', '--inject',
                   'worker 2: comm const 1ms')
        counted = self.included('run')
        self.assertEqual(len(counted), 3)
        refused = self.train('linreg', '--run', 'run', '--resume', '--nodes', '2')
        self.assertEqual(refused.returncode, 2)
        again = ('linreg', '--run', 'run', '--resume', '--workers', '1', '--nodes', '2')
        last = self.final(*again, '--epochs', '4', '--pace', 'fixed:k=2', '--set', 'inject=')
        self.assertEqual(last['epoch'], 4)
        for worker, count in self.included('run').items():
            self.assertGreaterEqual(count, counted[worker])

    def test_steps_of_a_run_that_fails_are_kept(self):
        process = self.start('linreg', '--data', 'generated:linear,rows=1000000,features=60',
                             '--run', 'run', '--workers', '1', '--nodes', '4', '--inject',
                             'all: comm const 3ms', '--set', 'servers=2')
        self.wait_for(lambda: os.path.exists(self.path('run', 'config.toml')), 'no run', process)
        time.sleep(1)
        nodes = {node: pid for pid, node in self.processes().items()}
        os.kill(nodes['3'], signal.SIGKILL)
        time.sleep(1)
        os.kill(nodes['1'], signal.SIGKILL)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 3, err)
        self.assertIn('node 3', err)
        self.assertIn('node 1', err)
        self.assertGreater(len(self.read('run', 'steps.csv').splitlines()), 20)
        self.assertIn('worker 0 of node 3 is', self.read('run', 'metrics.jsonl'))
        self.assert_nobody_left()

    def included(self, run):
        lines = self.read(run, 'step_workers.csv').splitlines()[1:]
        return {tuple(line.split(',')[1:3]): int(line.split(',')[7]) for line in lines}

    def test_a_finished_run_may_go_on(self):
        self.final('mf', '--data', DATA, *SMALL, '--epochs', '2')
        self.assertEqual(self.final('mf', '--resume')['epoch'], 2)
        last = self.final('mf', '--resume', '--epochs', '4', '--workers', '1')
        whole = self.final('mf', '--data', DATA, *SMALL, '--epochs', '4')
        self.assertEqual((last['epoch'], last['rmse']), (4, whole['rmse']))


if __name__ == '__main__':
    main()
