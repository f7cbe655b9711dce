#!/usr/bin/env python3
# tests/proc/groups_launch_test.py: `godwit launch --groups` with real MPI jobs: ranks, mpirun and
# the launcher itself are killed; only what must ends, and no process is ever left over.
# usage: groups_launch_test.py <godwit> <ring_job> openmpi|slurm
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

from slurm_cluster import SlurmCluster, missing_program

GODWIT, RING, KIND = '', '', ''


def wait_until(what: str, condition, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f'not within {seconds} s: {what}')
        time.sleep(0.02)


class Launch:
    """A job in a directory of its own. Its processes are known by a variable that all inherit."""

    def __init__(self, *options: str, program: tuple[str, ...] = (), before: tuple[str, ...] = (),
                 **variables: str):
        self.dir = Path(tempfile.mkdtemp(prefix='godwit-test-'))
        self.mark = f'GODWIT_TEST_MARK={uuid.uuid4()}'
        self.made_before = set(os.listdir('/dev/shm'))
        (self.dir / 'tmp').mkdir()
        name, value = self.mark.split('=')
        # Not a pipe: who outlives the launcher must not be waited for.
        self.out, self.err = (open(self.dir / name, 'w+') for name in ('out', 'err'))
        command = program or (RING, str(self.dir))
        self.process = subprocess.Popen(
            [*before, GODWIT, 'launch', '--log-dir', str(self.dir / 'logs'), *options, '--',
             *command],
            stdout=self.out, stderr=self.err, start_new_session=True,
            env=dict(os.environ, TMPDIR=str(self.dir / 'tmp'), **{name: value}, **variables))

    def path(self, place: str) -> Path:
        return self.dir / place

    def pid(self, place: str) -> int:
        try:
            wait_until(f'{place} is there', self.path(place).exists)
        except AssertionError as error:
            raise AssertionError(f'{error}: {self.text("out")} {self.text("err")}') from error
        return int(self.path(place).read_text())

    def text(self, name: str) -> str:
        return (self.dir / name).read_text()

    def processes(self) -> list[int]:
        mark, found = self.mark.encode(), []
        for entry in os.listdir('/proc'):
            try:
                if entry.isdigit() and mark in Path(f'/proc/{entry}/environ').read_bytes():
                    found.append(int(entry))
            except OSError:
                pass  # it has ended, or is another user's
        return found

    def end(self, seconds: float = 20) -> int:
        code = self.process.wait(seconds)
        wait_until(f'nothing left: {self.processes()}', lambda: not self.processes())
        wait_until('no files left', lambda: not os.listdir(self.dir / 'tmp'))
        # What another job made since will go, too; what this one left will not.
        left = {name for name in set(os.listdir('/dev/shm')) - self.made_before
                if name.startswith(('vader', 'godwit'))}
        wait_until(f'nothing left in memory: {left}',
                   lambda: not left.intersection(os.listdir('/dev/shm')))
        return code

    def __enter__(self) -> 'Launch':
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait(20)
        try:  # the warden first: it also removes the job's directories
            wait_until('nothing left', lambda: not self.processes())
        except AssertionError:
            for pid in self.processes():
                os.kill(pid, signal.SIGKILL)
        self.out.close()
        self.err.close()
        shutil.rmtree(self.dir, ignore_errors=True)


def parent_of(pid: int) -> int:
    return int(Path(f'/proc/{pid}/stat').read_text().rsplit(') ', 1)[1].split()[1])


def finish(job: Launch) -> None:
    job.path('go').touch()
    job.path('end').touch()


@unittest.skipUnless(shutil.which('mpirun.openmpi'), 'Open MPI (openmpi-bin) is not installed')
class OpenMpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # What takes some seconds to be seen goes on beside the other tests.
        cls.stuck = cls.groups(1, 1, 2)
        cls.addClassCleanup(cls.stuck.__exit__)
        pid = cls.stuck.pid('g0.r1.life0')
        os.kill(parent_of(pid), signal.SIGSTOP)
        os.kill(pid, signal.SIGKILL)

    @staticmethod
    def groups(servers: int, groups: int, ranks: int, *more: str, **rest) -> Launch:
        return Launch('--nodes', str(servers), '--groups', str(groups), '--ranks-per-group',
                      str(ranks), '--mpi', 'openmpi', *more, **rest)

    def test_only_the_group_that_dies_is_started_again(self):
        places = [f'g{group}.r{rank}' for group in range(3) for rank in range(2)]
        with self.groups(2, 3, 2) as job:
            pids = {place: job.pid(place + '.life0') for place in places}

            os.kill(pids['g1.r1'], signal.SIGKILL)  # a rank
            job.pid('g1.r0.life1')
            os.kill(parent_of(pids['g0.r0']), signal.SIGKILL)  # an mpirun
            job.pid('g0.r1.life1')
            os.kill(pids['g2.r0'], signal.SIGSTOP)  # a rank whose peer is frozen
            os.kill(pids['g2.r1'], signal.SIGKILL)
            for place in places:
                job.pid(place + '.life1')
            finish(job)
            self.assertEqual(job.end(), 0, job.text('err'))

            out, err = job.text('out'), job.text('err')
            for group in range(3):
                self.assertEqual(err.count(f'godwit launch: group {group} died'), 1, err)
            self.assertIn('group 1 died (rank 1 was killed by signal 9 (Killed)), starting it '
                          'again in 0.5 s (1 of 3)', err)
            self.assertIn('[g2.r1] node 7 of 8, 2 table nodes, rank 1 of 2 in group 2 of 3', out)
            self.assertIn('[1] table node 1 ends', out)
            self.assertIn('begins anew, life 1', job.text('logs/group-0.log'))
            self.assertFalse(job.path('g0.r0.life2').exists())

    def test_an_mpirun_that_does_not_see_the_end_of_a_rank_is_killed(self):
        self.stuck.pid('g0.r1.life1')
        finish(self.stuck)
        self.assertEqual(self.stuck.end(), 0, self.stuck.text('err'))
        self.assertIn('does not see that ranks have ended', self.stuck.text('err'))

    def test_a_group_that_is_given_up_is_named(self):
        with tempfile.TemporaryDirectory() as shared:
            program = (RING, shared, 'fail', '1')
            with self.groups(1, 2, 2, '--restarts', '1', program=program) as job:
                wait_until('given up', lambda: 'is given up' in job.text('err'))
                (Path(shared) / 'go').touch()
                (Path(shared) / 'end').touch()
                self.assertEqual(job.end(), 0, job.text('err'))
                self.assertIn('given up: group 1 (it exited with code 5); 1 of 2 groups finished',
                              job.text('err'))

    def test_without_any_group_the_job_fails(self):
        with tempfile.TemporaryDirectory() as shared:
            program = (RING, shared, 'fail', '0')
            with self.groups(1, 1, 2, '--restarts', '0', program=program) as job:
                self.assertEqual(job.end(), 5, job.text('err'))
                self.assertIn('no group finished', job.text('err'))

    def test_a_dead_table_node_ends_the_job(self):
        with self.groups(2, 1, 2) as job:
            job.pid('g0.r1.life0')
            os.kill(job.pid('node-1'), signal.SIGKILL)
            self.assertEqual(job.end(), 3, job.text('err'))
            self.assertIn('table node 1 was killed by signal 9', job.text('err'))
            self.assertFalse(job.path('g0.r0.life1').exists())

    def test_nothing_outlives_the_launcher(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)):
            with self.subTest(signal=number), self.groups(1, 2, 2) as job:
                pids = [job.pid(f'g{g}.r{r}.life0') for g in range(2) for r in range(2)]
                os.kill(pids[0], signal.SIGSTOP)
                os.kill(job.process.pid, number)
                self.assertEqual(job.end(), code, job.text('err'))


@unittest.skipUnless(shutil.which('mpirun.mpich'), 'MPICH (mpich) is not installed')
class Mpich(unittest.TestCase):
    SCRIPT = ('[ $GODWIT_ROLE = server ] && while [ ! -e end ]; do sleep 0.02; done && exit 0;'
              'echo hello; echo $$ >g$GODWIT_GROUP.r$PMI_RANK.life$GODWIT_GROUP_LIFE;'
              'while [ ! -e go ]; do sleep 0.02; done')

    def test_a_killed_rank_and_a_killed_launcher(self):
        for number, code in ((0, 0), (signal.SIGKILL, -9)):
            with tempfile.TemporaryDirectory() as shared, Launch(
                    '--groups', '2', '--ranks-per-group', '2', '--mpi', 'mpich',
                    program=('sh', '-c', f'cd {shared}; {self.SCRIPT}')) as job:
                job.path = lambda place, shared=shared: Path(shared) / place
                pid = job.pid('g1.r1.life0')
                job.pid('g0.r0.life0')
                wait_until('the words of a rank', lambda: '[g1.r1] hello' in job.text('out'))
                if number:
                    os.kill(job.process.pid, number)
                else:
                    os.kill(pid, signal.SIGKILL)
                    job.pid('g1.r0.life1')
                    finish(job)
                self.assertEqual(job.end(), code, job.text('err'))
                self.assertFalse(job.path('g0.r0.life1').exists())


class BadInput(unittest.TestCase):
    def test_is_refused_before_anything_starts(self):
        for options, message in (
                (('-n', '2', '--groups', '2'), '--nodes N is the number of table nodes'),
                (('--groups', '0'), 'at least one of each'),
                (('--groups', '1', '--nodes', '0'), 'at least one of each'),
                (('--groups', '1', '--ranks-per-group', '0'), 'at least one of each'),
                (('--groups', '99', '--ranks-per-group', '99'), 'more than 4096 nodes'),
                (('--groups', '2', '--mpi', 'lam'), "'lam', not openmpi, mpich or slurm"),
                (('--groups', '2', '--mpi', 'slurm'), 'SLURM_JOB_ID is not set'),
                (('--groups', '2', '--restarts', '-1'), '--restarts is -1'),
                (('--ranks-per-group', '2', '-n', '1'), 'need --groups'),
                ((), '--nodes is required')):
            with self.subTest(options=options), Launch(*options) as job:
                self.assertEqual(job.end(), 2, job.text('err'))
                self.assertIn(message, job.text('err'))
        with Launch('--groups', '1', '--ranks-per-group', '2', PATH='/nowhere') as job:
            self.assertEqual(job.end(), 2)
            self.assertIn('install openmpi-bin', job.text('err'))


class Slurm(unittest.TestCase):
    def test_two_groups_are_steps_of_an_allocation(self):
        if missing_program():
            self.skipTest(f'{missing_program()} is not installed (slurm-wlm, munge)')
        with tempfile.TemporaryDirectory() as dir:
            with SlurmCluster(str(Path(dir) / 'slurm'), 2) as slurm:
                self.run_in(slurm.before('salloc', '-N2', '-n4'))

    def run_in(self, allocation: tuple) -> None:
        options = ('--groups', '2', '--ranks-per-group', '2')
        with Launch(*options, before=allocation) as job:
            places = [f'g{group}.r{rank}' for group in range(2) for rank in range(2)]
            pids = {place: job.pid(place + '.life0') for place in places}
            os.kill(pids['g1.r0'], signal.SIGKILL)
            job.pid('g1.r0.life1')
            job.pid('g1.r1.life1')
            finish(job)
            self.assertEqual(job.end(), 0, job.text('err'))
            self.assertIn('[g1.r1] node 4 of 5, 1 table nodes, rank 1 of 2 in group 1 of 2',
                          job.text('out'))
            self.assertEqual(job.text('err').count('starting it again'), 1, job.text('err'))
        with Launch('--groups', '3', '--ranks-per-group', '2', before=allocation) as job:
            self.assertEqual(job.end(), 2, job.text('err'))
            self.assertIn('6 tasks, but the Slurm allocation has 4', job.text('err'))
        with Launch(*options, before=allocation) as job:
            job.pid('g0.r0.life0'), job.pid('g1.r1.life0')
            launcher = next(pid for pid in job.processes()
                            if Path(f'/proc/{pid}/comm').read_text() == 'godwit\n')
            os.kill(launcher, signal.SIGKILL)
            job.end()


if __name__ == '__main__':
    if len(sys.argv) < 4 or sys.argv[3] not in ('openmpi', 'slurm'):
        sys.exit('usage: groups_launch_test.py <godwit> <ring_job> openmpi|slurm')
    GODWIT, RING, KIND = (os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), sys.argv[3])
    names = ['OpenMpi', 'Mpich', 'BadInput'] if KIND == 'openmpi' else ['Slurm']
    unittest.main(argv=[sys.argv[0], *(sys.argv[4:] or names)], verbosity=2)
