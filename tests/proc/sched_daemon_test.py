#!/usr/bin/env python3
# tests/proc/sched_daemon_test.py: `godwit sched serve` with real trainings: machines are drained,
# the daemon is killed again and again; every job finishes, none runs twice, none is lost.
# usage: sched_daemon_test.py <godwit> local|slurm [--long]
# Exits with 77 if there is no Slurm to test with.
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

from scheduler import Scheduler, wait_until
from slurm_cluster import SlurmCluster, missing_program

GODWIT, KIND, LONG = '', '', False
EXIT_SKIPPED = 77
RATINGS = 50_000
DATA = f'generated:lowrank,rows=1000,columns=200,ratings={RATINGS},held_out=500,rank=4'
MACHINES = 4
CLUSTER = '''slot_seconds = 2
slots = 120
restart_s = 0.5

[[machine]]
name = "{name}"
count = 4
cpu = 2
'''
# Name, epochs, workers, more keys.
JOBS = [('first', 1500, 2, ''), ('second', 1500, 2, ''), ('third', 1200, 1, 'workers_max = 2'),
        ('spread', 1000, 4, 'workers_max = 4'),
        ('wide', 500, 6, 'elastic = false\nworkers_max = 6'),
        ('last', 800, 1, 'workers_max = 2')]


def job_file(name: str, epochs: int, workers: int, more: str, priority: float = 10) -> str:
    command = ['godwit', 'train', 'mf', '--data', DATA, '--set', 'rank=4', '--set',
               'judge_every=0', '--epochs', str(epochs), '--nodes', '{nodes}', '--workers',
               '{workers}', '--run', '{run}', '--save-every', '1', '{resume}']
    return f'''name = "{name}"
command = {json.dumps(command)}
samples = {RATINGS * epochs}
batch = {RATINGS}
model_mb = 0.05
sample_ms = 1e-4
workers = {workers}
worker = {{ cpu = 1 }}
server = {{ cpu = 0 }}
utility = {{ kind = "sigmoid", priority = {priority}, urgency_per_hour = 60, target_s = 60 }}
{more}
'''


class Real(unittest.TestCase):
    """What both back-ends have in common."""
    machine_name = 'm'

    def setUp(self) -> None:
        self.dir = tempfile.mkdtemp(prefix='godwit-sched-')
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.variables = self.begin_cluster()
        self.sched = Scheduler(GODWIT, self.dir, KIND, self.variables)
        cluster = CLUSTER.format(name=self.machine_name)
        (Path(self.dir) / 'cluster.toml').write_text(self.numbered(cluster), encoding='utf-8')
        self.sched.serve()
        self.addCleanup(self.sched.close)
        # Work enough that jobs meet though they come over two minutes.
        self.factor = 8 if LONG else 1
        self.began = self.submitted = time.monotonic()

    def begin_cluster(self) -> dict[str, str]:
        return {}

    def numbered(self, cluster: str) -> str:
        return cluster

    def tell(self, text: str) -> None:
        print(f'{time.monotonic() - self.began:7.1f} s  {text}', file=sys.stderr, flush=True)

    def submit(self, number: int) -> None:
        """Not before the pause after the last one is over: six jobs take 2 minutes if LONG."""
        name, epochs, workers, more = JOBS[number]
        pause = 24 if LONG else 1.5 if number < 3 else 0
        if number > 0:
            time.sleep(max(0, self.submitted + pause - time.monotonic()))
        self.submitted = time.monotonic()
        text = job_file(name, epochs * self.factor, workers, more)
        done = self.sched.submit(name, text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.tell(f'submitted {name}')

    def kill_and_serve(self, after: float = 0) -> None:
        self.sched.kill()
        self.tell('the scheduler was killed with -9')
        time.sleep(after)
        self.sched.serve()

    def running(self) -> dict[str, dict]:
        return {name: job for name, job in self.sched.jobs().items() if job['phase'] == 'running'}

    # By machine: how many workers each job really has there, by its name.
    def seen_placements(self) -> dict[str, dict[str, int]]:
        raise NotImplementedError

    def check_placements(self) -> None:
        """All that run are where the scheduler says, as the operating side tells it."""
        def agree() -> bool:
            before = {name: (job['lives'], job['placement'])
                      for name, job in self.running().items()}
            seen = self.seen_placements()
            after = {name: (job['lives'], job['placement'])
                     for name, job in self.running().items()}
            stable = {name: life for name, life in before.items() if after.get(name) == life}
            self.last = [f'{name}, life {life}: decided {placement}, seen {seen.get(name)}'
                         for name, (life, placement) in sorted(stable.items())]
            return bool(stable) and all(seen.get(name) == placement
                                        for name, (_, placement) in stable.items())
        try:
            wait_until('placements', agree, 30)
        except AssertionError as error:
            raise AssertionError(f'{error}: {self.last}\n{self.sched.said()}') from error
        for line in self.last:
            self.tell(line)

    def drain(self) -> str:
        busiest = max(self.sched.list()['machines'], key=lambda one: len(one['jobs']))['name']
        self.assertEqual(self.sched.ask('drain', busiest).returncode, 0)
        self.tell(f'{busiest} was drained')
        return busiest

    def life_dirs(self, job: dict) -> list[Path]:
        return sorted(Path(job['run']).parent.glob('life-*'))

    def check_starts(self, job: dict) -> None:
        """Each life was begun at most once, and the trainings were as many as lives that began."""
        trained = 0
        for life in self.life_dirs(job):
            claim = (life / 'claim').read_text(encoding='utf-8').split()
            out = (life / 'out').read_text(encoding='utf-8') if (life / 'out').exists() else ''
            starts = out.count('mf on lowrank: ')
            self.assertLessEqual(starts, 0 if claim[0] == '0' else 1, out)
            trained += starts
        starts = 0
        for run in Path(job['run']).parent.glob('run*'):
            if (run / 'metrics.jsonl').exists():
                starts += (run / 'metrics.jsonl').read_text(encoding='utf-8').count(
                    '"event":"start"')
        self.assertEqual(starts, trained, job)
        lines = (Path(job['run']) / 'metrics.jsonl').read_text(encoding='utf-8').splitlines()
        last = json.loads(lines[-1])
        self.assertTrue(last['final'], last)
        epochs = next(epochs for name, epochs, *_ in JOBS if name == job['name'])
        self.assertEqual(last['epoch'], epochs * self.factor, last)
        self.assertEqual(last['outcome'], 'finished')

    def test_every_job_finishes_once_whatever_happens(self):
        refused = self.sched.submit('bad', job_file('bad', 10, 1, 'worksers_max = 2'))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("bad.toml:11: job 'bad' has no key 'worksers_max' (did you mean "
                      "'workers_max'?)", refused.stderr)
        for number in (0, 1, 2):
            self.submit(number)
        wait_until('two run', lambda: len(self.running()) >= 2, 60)
        self.check_placements()

        lives = {name: job['lives'] for name, job in self.running().items()}
        self.kill_and_serve(0.3)
        adopted = self.sched.jobs()
        for name, life in lives.items():
            if adopted[name]['phase'] == 'running':
                self.assertEqual(adopted[name]['lives'], life, 'it goes on in the same life')

        drained = self.drain()
        self.submit(3)
        self.kill_and_serve()  # in the middle of it
        wait_until(f'{drained} is left', lambda: not next(
            one for one in self.sched.list()['machines'] if one['name'] == drained)['jobs'], 60)
        self.check_placements()
        self.assertFalse(any(drained in places for places in self.seen_placements().values()))

        self.submit(4)
        self.explain_wide()
        self.submit(5)
        for delay in (0.05, 0.2, 0.6):
            self.kill_and_serve()
            time.sleep(delay)
        self.assertEqual(self.sched.ask('undrain', drained).returncode, 0)
        self.tell(f'{drained} may have jobs again')
        self.finish()

    def explain_wide(self) -> None:
        """Six workers do not fit while others run: it is told so; else it has all six."""
        text = self.sched.ask('explain', 'wide').stdout
        told = re.match(r"job \d+ 'wide' is (\w+)", text)
        self.assertTrue(told, text)
        phase = told[1]
        self.tell(f'wide is {phase}')
        if phase == 'waiting':
            self.assertRegex(text, '(?m)^plan: ')
            self.assertIn('it needs 6 workers, each with cpu 1', text)
            self.assertIn('drained', text)
        else:
            self.assertIn(phase, ('starting', 'running', 'saving', 'done'), text)
        if phase in ('starting', 'running', 'saving'):
            has = next(line for line in text.splitlines() if line.startswith('it has '))
            self.assertEqual(sum(map(int, re.findall(r'(\d+) workers? on ', has))), 6, text)
        history = text.partition('history:\n')[2]
        self.assertRegex(history, r'^ +[\d.]+ s  waiting', text)

    def finish(self) -> None:
        def all_over() -> bool:
            self.jobs = self.sched.jobs()
            return all(job['phase'] in ('done', 'failed') for job in self.jobs.values())
        try:
            wait_until('all are done', all_over, 150 * self.factor)
        except AssertionError as error:
            raise AssertionError(f'{error}: {self.jobs}\n{self.sched.said()}') from error
        self.assertEqual({job['phase'] for job in self.jobs.values()}, {'done'},
                         f'{self.jobs}\n{self.sched.said()}')
        self.assertEqual(len(self.jobs), len(JOBS))
        for job in self.jobs.values():
            self.check_starts(job)
        wait_until('nothing runs', lambda: not self.seen_placements(), 20)
        for name, job in self.jobs.items():
            self.tell(f'{name}: {job["lives"]} lives, which ended with {self.exit_codes(job)}')

    def exit_codes(self, job: dict) -> str:
        """Of its lives in their order; one that was lost has none."""
        codes = []
        for number in range(1, job['lives'] + 1):
            exit = Path(job['run']).parent / f'life-{number}' / 'exit'
            codes.append(exit.read_text(encoding='utf-8').split()[0] if exit.exists() else 'none')
        return ', '.join(codes)


class Local(Real):
    """Nodes of jobs are processes that were told their machine."""

    def seen_placements(self) -> dict[str, dict[str, int]]:
        names = {job['id']: name for name, job in self.sched.jobs().items()}
        seen: dict[str, dict[str, int]] = {}
        for entry in filter(str.isdigit, os.listdir('/proc')):
            try:
                variables = dict(text.partition('=')[::2] for text in Path(
                    f'/proc/{entry}/environ').read_text(encoding='utf-8').split('\0'))
                words = Path(f'/proc/{entry}/cmdline').read_text(encoding='utf-8').split('\0')
            except (OSError, UnicodeDecodeError):
                continue
            if variables.get('GODWIT_SCHED') != str(self.sched.state):
                continue
            if 'GODWIT_MACHINE' not in variables or '--workers' not in words:
                continue
            job = names[int(variables['GODWIT_JOB'].rsplit('-', 1)[1].split('.')[0])]
            places = seen.setdefault(job, {})
            machine = variables['GODWIT_MACHINE']
            places[machine] = places.get(machine, 0) + int(words[words.index('--workers') + 1])
        return seen

    def test_a_cancelled_job_leaves_nothing(self):
        done = self.sched.submit('long', job_file('long', 1_000_000, 2, ''))
        self.assertEqual(done.returncode, 0, done.stderr)
        wait_until('it runs', lambda: self.seen_placements())
        self.assertEqual(self.sched.ask('cancel', 'long').returncode, 0)
        wait_until('it is gone', lambda: self.sched.jobs()['long']['phase'] == 'cancelled')
        self.assertFalse(self.seen_placements())

    def test_a_killed_node_costs_a_life_and_a_failing_job_fails(self):
        done = self.sched.submit('long', job_file('long', 6000, 2, 'workers_max = 2'))
        self.assertEqual(done.returncode, 0, done.stderr)
        bad = job_file('none', 10, 1, '').replace(DATA, 'no-such-data')
        self.assertEqual(self.sched.submit('none', bad).returncode, 0)
        wait_until('it saves', lambda: (self.sched.state / 'jobs/1/run/ckpt/LATEST').exists())
        claim = (self.sched.state / 'jobs/1/life-1/claim').read_text(encoding='utf-8')
        os.kill(int(claim.split()[0]), signal.SIGKILL)  # the runner, and all with it
        wait_until('a second life', lambda: self.sched.jobs()['long']['lives'] == 2)
        self.assertEqual(wait_until('it fails', lambda: self.sched.jobs()['none'][
            'phase'] == 'failed' and self.sched.jobs()['none']['lives']), 1)
        self.assertIn('no-such-data', self.sched.ask('explain', 'none').stdout)


class Slurm(Real):
    """Nodes of jobs are tasks of Slurm, which says where they are."""
    machine_name = 'n'

    def begin_cluster(self) -> dict[str, str]:
        self.slurm = SlurmCluster(os.path.join(self.dir, 'slurm'), MACHINES)
        self.slurm.__enter__()
        self.addCleanup(self.slurm.__exit__)
        return self.slurm.variables()

    def numbered(self, cluster: str) -> str:
        # Slurm counts from 1.
        head, _ = cluster.split('[[machine]]')
        return head + ''.join(f'[[machine]]\nname = "n{i}"\ncpu = 2\n'
                              for i in range(1, MACHINES + 1))

    def seen_placements(self) -> dict[str, dict[str, int]]:
        names = {job['id']: name for name, job in self.sched.jobs().items()}
        seen: dict[str, dict[str, int]] = {}
        for line in self.slurm.run('squeue', '--noheader', '--states=RUNNING',
                                   '--format=%j|%N|%C').splitlines():
            slurm_job, nodes, cpus = line.split('|')
            hosts = self.slurm.run('scontrol', 'show', 'hostnames', nodes).split()
            places = seen.setdefault(names[int(slurm_job.rsplit('-', 1)[1].split('.')[0])], {})
            for host in hosts:  # parts of a job have equally many on each
                places[host] = int(cpus) // len(hosts)
        return seen

    def test_a_node_that_slurm_drains_is_left(self):
        done = self.sched.submit('long', job_file('long', 1_000_000, 2, 'workers_max = 2'))
        self.assertEqual(done.returncode, 0, done.stderr)
        wait_until('it runs', lambda: self.seen_placements())
        wait_until('it saves', lambda: (self.sched.state / 'jobs/1/run/ckpt/LATEST').exists())
        (where,) = self.sched.jobs()['long']['placement']
        self.slurm.run('scontrol', 'update', f'nodename={where}', 'state=drain', 'reason=test')
        wait_until('it is elsewhere', lambda: self.running() and where not in
                   self.sched.jobs()['long']['placement'])
        self.check_placements()
        refused = self.sched.submit('half', job_file('half', 10, 1, '').replace(
            'worker = { cpu = 1 }', 'worker = { cpu = 0.5 }'))
        self.assertIn('Slurm gives whole ones', refused.stderr)
        self.assertEqual(self.sched.ask('cancel', 'long').returncode, 0)
        wait_until('it is gone', lambda: not self.seen_placements())


if __name__ == '__main__':
    if len(sys.argv) < 3 or sys.argv[2] not in ('local', 'slurm'):
        sys.exit('usage: sched_daemon_test.py <godwit> local|slurm [--long]')
    GODWIT, KIND = os.path.realpath(sys.argv[1]), sys.argv[2]
    if KIND == 'slurm' and missing_program():
        print(f'skipped: {missing_program()} is not installed (slurm-wlm, munge)')
        sys.exit(EXIT_SKIPPED)
    rest = sys.argv[3:]
    LONG = '--long' in rest
    names = [word for word in rest if word != '--long'] or [KIND.capitalize()]
    unittest.main(argv=[sys.argv[0], *names], verbosity=2)
