#!/usr/bin/env python3
"""tests/proc/pace_test.py: steps that do not wait for slow, stopped and killed workers.

  pace_test.py PATH/godwit [unittest arguments]

Names P1 to P6 are those of the acceptance tests in docs/stragglers.md. Delays are long against what
computing takes, so that they can be told from a busy machine; each test prints its figures.
"""
import csv
import json
import math
import os
import random
import signal
import statistics
import time

from host_time import HostTime, measured_again
from train_case import TrainCase, main

BATCH = 64
LOADS = (3, 6, 13, 26, 38, 51, 64)  # from which auto chooses: pace/load_ladder.h
COLUMNS = ('j,t,k,b,B,T_round,used,late_applied,late_dropped,cancelled,loss,V,G2,mu_hat,stage,'
           'reason,assigned,live')
# Runs a command whose monotonic clock is ahead by the seconds that follow.
OTHER_CLOCK = ['unshare', '--time', '--fork', '--kill-child', '--monotonic']
PATIENCE_SECONDS = 1  # with who is silent, at least: StepRoster::kPatienceMin


def data(steps: int, nodes: int) -> str:
    """So many full steps an epoch: 80 % of the rows are to learn from."""
    return f'generated:linear,features=100,rows={steps * nodes * BATCH * 10 // 8}'


class PaceTest(TrainCase):
    def arguments(self, run: str, steps: int, nodes: int, *more: str) -> list[str]:
        return ['linreg', '--data', data(steps, nodes), '--nodes', str(nodes), '--workers', '1',
                '--epochs', '1', '--set', f'batch={BATCH}', '--set', 'learning_rate=1', '--run',
                run, *more]

    def run_steps(self, run: str, steps: int, nodes: int, *more: str) -> dict:
        return self.final(*self.arguments(run, steps, nodes, *more))

    def table(self, run: str, name: str = 'steps.csv') -> list[dict[str, str]]:
        return list(csv.DictReader(self.read(run, name).splitlines()))

    def usual(self, run: str) -> float:
        """Seconds of a step, without the first and the last ones."""
        return statistics.median(float(step['T_round']) for step in self.table(run)[2:-2])

    @measured_again
    def test_p1_two_slow_workers_are_not_waited_for(self):
        # Long, so that what a busy machine adds to each step does not count.
        slow = 'workers 0-5: compute const 60ms; workers 6-7: compute const 600ms'
        self.run_steps('healthy', 14, 6, '--pace', 'fixed', '--inject', slow.split(';')[0])
        self.run_steps('six', 14, 8, '--pace', 'fixed:k=6', '--inject', slow)
        self.run_steps('all', 14, 8, '--pace', 'fixed', '--inject', slow)
        healthy, six, everyone = (self.usual(run) for run in ('healthy', 'six', 'all'))
        print(f'P1: a step takes {1e3 * healthy:.1f} ms with 6 healthy workers, '
              f'{six / healthy:.2f}x with k=6 of 8, {everyone / healthy:.2f}x with k=8')
        self.assertLess(six, 1.5 * healthy)
        self.assertGreater(everyone, 5 * healthy)
        self.assertEqual(self.read('six', 'steps.csv').splitlines()[0], COLUMNS)
        # Of those nobody waits for, what they had is computed by others: once, and all of it.
        samples = sum(int(step['B']) for step in self.table('six'))
        self.assertEqual(samples, sum(int(step['B']) for step in self.table('all')))

    def run_hours_apart(self, run: str, steps: int, *more: str) -> None:
        """Three nodes; the clock of the leader is an hour behind one, and ahead of the other."""
        train = [self.godwit, 'train', *self.arguments(run, steps, 3, *more), '--quiet']
        if self.run_any([*OTHER_CLOCK, '3600', 'true']).returncode == 0:
            offset = '$((3600 * ((GODWIT_NODE + 1) % 3 + 1)))'
            train = ['sh', '-c', f'exec {" ".join(OTHER_CLOCK)} {offset} "$@"', 'sh', *train]
        else:
            print('P2: not root: all nodes have the same clock')
        done = self.run_any([self.godwit, 'launch', '-n', '3', '--no-logs', '--', *train])
        self.assertEqual(done.returncode, 0, done.stderr)

    @measured_again
    def test_p2_delays_are_told_apart_by_clocks_that_differ(self):
        medians = {}
        delay = 0.04
        for what in ('nothing', 'comm', 'compute'):
            inject = () if what == 'nothing' else ('--inject', f'all: {what} const 40ms')
            self.run_hours_apart(what, 101, '--pace', 'fixed', *inject)
            workers = self.table(what, 'step_workers.csv')
            self.assertEqual(len(workers), 3)
            medians[what] = (
                statistics.median(float(worker['comm_median']) for worker in workers),
                BATCH * statistics.median(float(worker['compute_median']) for worker in workers))
        base = medians['nothing']
        for what, column in (('comm', 0), ('compute', 1)):
            right = (medians[what][column] - base[column]) / delay
            wrong = (medians[what][1 - column] - base[1 - column]) / delay
            print(f'P2: of a delay of {what}, {right:.0%} are seen there, {wrong:.0%} elsewhere')
            self.assertGreater(right, 0.8)
            self.assertLess(abs(wrong), 0.1)

    def victim(self, node: str) -> int:
        return next(pid for pid, own in self.processes().items() if own == node)

    def disturb(self, run: str, steps: int, disturbance, *more: str) -> dict:
        """What a run comes to in which node 3 of 4, which keeps no parameters, is disturbed."""
        self.host = HostTime()
        process = self.start(*self.arguments(run, steps, 4, '--inject', 'all: comm const 15ms',
                                             '--json', *(more or ('--pace', 'fixed'))))
        self.wait_for(lambda: os.path.exists(self.path(run, 'metrics.jsonl')), 'it does not begin',
                      process)
        time.sleep(1)  # how long each usually takes is known
        disturbance(self.victim('3'))
        out, err = process.communicate(timeout=180)
        self.assertEqual(process.returncode, 0, err)
        self.assert_nobody_left()
        return self.last_of(out)

    def longest(self, run: str) -> float:
        return max(float(step['T_round']) for step in self.table(run))

    def live(self, run: str) -> list[int]:
        """How many were live, without repetitions."""
        counts = [int(step['live']) for step in self.table(run)]
        return [now for before, now in zip([0, *counts], counts) if before != now]

    def assert_disturbed_but_fine(self, run: str, last: dict) -> None:
        self.assertLess(self.longest(run), 1.5 * PATIENCE_SECONDS + self.host.taken())
        self.assertLess(last['rmse'], 1.2 * last['noise_floor'])
        table = self.table(run)
        for before, step in zip(table, table[1:]):
            # Who was silent may be there again between the two.
            live = max(int(before['live']), int(step['live']))
            self.assertLessEqual(int(step['k']), live, step)

    @staticmethod
    def stop_for_five_seconds(pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(5)
        os.kill(pid, signal.SIGCONT)

    @measured_again
    def test_p3_a_stopped_worker_leaves_and_comes_back(self):
        last = self.disturb('stopped', 360, self.stop_for_five_seconds)
        longest = self.longest('stopped')
        print(f'P3: stopped for 5 s: the longest step took {longest:.2f} s; live: '
              f'{self.live("stopped")}; rmse {last["rmse"]:.4f} of {last["noise_floor"]:.4f}')
        self.assert_disturbed_but_fine('stopped', last)
        self.assertEqual(self.live('stopped'), [4, 3, 4])
        # What it had when it was stopped was given to others, and its own result was too late.
        self.assertGreater(sum(int(step['cancelled']) + int(step['late_dropped'])
                               for step in self.table('stopped')), 0)

    @measured_again
    def test_p3_a_killed_worker_is_done_without(self):
        last = self.disturb('killed', 150, lambda pid: os.kill(pid, signal.SIGKILL))
        longest = self.longest('killed')
        print(f'P3: killed: the longest step took {longest:.2f} s; live: {self.live("killed")}; '
              f'rmse {last["rmse"]:.4f} of {last["noise_floor"]:.4f}')
        self.assert_disturbed_but_fine('killed', last)
        self.assertEqual(self.live('killed'), [4, 3])

    @measured_again
    def test_p3_so_it_is_with_auto_and_late_results_that_count(self):
        last = self.disturb('auto', 400, self.stop_for_five_seconds, '--pace', 'auto', '--late',
                            'apply:10')
        print(f'P3: stopped, auto, apply:10: the longest step took {self.longest("auto"):.2f} s; '
              f'live: {self.live("auto")}; rmse {last["rmse"]:.4f} of {last["noise_floor"]:.4f}')
        self.assert_disturbed_but_fine('auto', last)
        self.assertIn(3, self.live('auto'))

    @measured_again
    def test_a_worker_that_becomes_slow_is_waited_for_no_more(self):
        self.run_steps('slower', 400, 4, '--pace', 'auto', '--inject', 'all: comm const 10ms',
                       'worker 3: compute const 200ms from step 150')
        table = self.table('slower')
        before = [step for step in table if 100 <= int(step['j']) < 150]
        after = [step for step in table if 200 <= int(step['j'])]
        times = [1e3 * statistics.median(float(step['T_round']) for step in part)
                 for part in (before, after)]
        print(f'auto: one of four becomes 200 ms slower: from {times[0]:.1f} to {times[1]:.1f} ms '
              f'a step, k from {before[-1]["k"]} to {after[-1]["k"]}, {len(table)} steps')
        self.assertEqual(int(before[-1]['k']), 4, 'nobody was slow')
        self.assertLess(int(after[-1]['k']), 4)
        self.assertLess(times[1], 3 * times[0])

    @measured_again
    def test_p4_what_is_chosen_follows_the_delays(self):
        # One large share is best when results travel long, many small ones when computing takes
        # long. Steps are so short that noise does not ask for more samples meanwhile.
        comm, compute = 'all: comm exp 40ms', 'all: compute const 40ms'
        for run, before, after in (('falls', comm, compute), ('rises', compute, comm)):
            process = self.start('linreg', '--data', 'generated:linear,features=100,rows=70000',
                                 '--nodes', '8', '--workers', '1', '--epochs', '1', '--set',
                                 f'batch={BATCH}', '--set', 'learning_rate=0.01', '--pace', 'auto',
                                 '--inject', f'{before} until step 150',
                                 f'{after} from step 150', '--run', run, '--quiet')
            _, err = process.communicate(timeout=240)
            self.assertEqual(process.returncode, 0, err)
            loads = [int(step['b']) for step in self.table(run)]
            self.assertGreater(len(loads), 550)
            first, last = (statistics.median(loads[at - 50:at]) for at in (150, 550))
            ks = [int(step['k']) for step in self.table(run)]
            k = statistics.median(ks[500:550])
            print(f'P4: the load {run} from {first} to {last} within 400 steps, k from '
                  f'{statistics.median(ks[100:150])} to {k}')
            if run == 'falls':
                self.assertLess(last, first / 1.5)
            else:
                self.assertGreater(last, first * 1.5)
            chosen, best = self.times_by_law(run == 'rises', round(k), round(last))
            print(f'P4: by the law this takes {1e3 * chosen:.1f} ms, the best for as many samples '
                  f'{1e3 * best:.1f} ms')
            self.assertLess(chosen, 1.25 * best + 0.002)  # what a step costs beside delays

    def times_by_law(self, is_comm, k, load):
        """How long the k-th of 8 workers takes under P4's delays; and with the best other loads."""
        rng = random.Random(1)

        def mean(k, load):
            if not is_comm:
                return 0.04 * load / BATCH
            draws = (sorted(rng.expovariate(1 / 0.04) for _ in range(8)) for _ in range(4000))
            return statistics.fmean(draw[k - 1] for draw in draws)
        pairs = [(math.ceil(k * load / one), one) for one in LOADS]
        return mean(k, load), min(mean(*pair) for pair in pairs if pair[0] <= 8)

    def test_p5_the_benchmark_runs(self):
        done = self.run_any([self.godwit, 'bench', 'pace', '--quick', '--json'])
        self.assertEqual(done.returncode, 0, done.stderr)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        names = [one['case'] for one in results]
        self.assertEqual(names, ['delays/all', 'delays/auto', 'calm/all', 'calm/auto', 'calm/off',
                                 'calm/steps'])
        for one in results:
            self.assertGreater(one['value'], 0, one)
        by_name = dict(zip(names, results))
        # As many steps of the same samples as there are ticks: the same model but for rounding.
        self.assertAlmostEqual(by_name['calm/all']['final'], by_name['calm/off']['final'], places=4)
        self.assertEqual(os.listdir(self.dir), [])


if __name__ == '__main__':
    main()
