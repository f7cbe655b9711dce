#!/usr/bin/env python3
"""tests/proc/status_test.py: `godwit status` of real jobs, also when nodes are frozen or killed,
and strangers who ask badly. The job must not notice any of it.

  status_test.py PATH/godwit PATH/lease_job [unittest arguments]
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

from job import Job

GODWIT = ''
LEASE_JOB = ''


def status(*arguments: str, timeout: float = 30) -> subprocess.CompletedProcess:
    return subprocess.run([GODWIT, 'status', *arguments], capture_output=True, text=True,
                          timeout=timeout)


def door_of(job: Job, node: int) -> str:
    pid = job.processes[node].pid
    return f'\0godwit-status/{os.geteuid()}/{pid}/{node}/{job.name}'


def connect(job: Job, node: int) -> socket.socket:
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(10)
    try:
        client.connect(door_of(job, node))
    except OSError:
        client.close()
        raise
    return client


def read_all(client: socket.socket) -> bytes:
    text = b''
    try:
        while part := client.recv(65536):
            text += part
    except ConnectionError:
        pass
    return text


class StatusTest(unittest.TestCase):
    def start(self, seconds: float) -> Job:
        job = Job(LEASE_JOB, 3, str(seconds))
        self.addCleanup(self.end, job)
        job.wait_until_working()
        return job

    def enter(self, client: socket.socket) -> socket.socket:
        self.addCleanup(client.close)
        return client

    @staticmethod
    def end(job: Job) -> None:
        for process in job.processes:
            if process.poll() is None:
                process.kill()
        if not job.processes[0].stdout.closed:
            job.finish(10)

    def assert_ends_well(self, job: Job) -> None:
        for code, _, err in job.finish(60):
            self.assertEqual((code, err), (0, ''))

    def test_tables_json_keys_and_rates_of_a_running_job(self):
        job = self.start(6)
        text = status('--job', job.name)
        self.assertEqual((text.returncode, text.stderr), (0, ''), text.stdout)
        self.assertIn(f'job {job.name}: 3 of 3 nodes answer on this machine', text.stdout)
        for node, process in enumerate(job.processes):
            self.assertRegex(text.stdout, rf'(?m)^{node} +{process.pid} +[0-9]+ +[0-9.]+ % ')
        self.assertRegex(text.stdout, r'(?m)^table rows: [0-9]+ rows resident here')
        self.check_json(job)
        self.check_rows(job)
        self.check_rates(job)
        self.assert_ends_well(job)
        ended = status('--job', job.name)
        self.assertEqual(ended.returncode, 1)
        self.assertIn('runs here', ended.stderr)

    def check_json(self, job: Job) -> None:
        found = status('--job', job.name, '--json')
        self.assertEqual(found.returncode, 0, found.stderr)
        nodes = [json.loads(line) for line in found.stdout.splitlines()]
        self.assertEqual([node['node'] for node in nodes], [0, 1, 2])
        for node, process in zip(nodes, job.processes):
            self.assertEqual((node['pid'], node['nodes'], node['job']), (process.pid, 3, job.name))
            self.assertGreater(node['workers']['tick_max'], 100)
            self.assertGreater(node['counters']['lease.keys'], 100)
            self.assertEqual([peer['state'] for peer in node['peers']], ['up', 'up'])
            self.assertEqual(node['tables'][0]['name'], 'rows')

    def check_rows(self, job: Job) -> None:
        homes = set()
        for key in range(0, 100, 7):
            found = status('--job', job.name, '--key', f'rows:{key}')
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertIn(f'row {key} of table rows, job {job.name}\n', found.stdout)
            homes.add(re.search(r'(?m)^home: node ([0-2])$', found.stdout)[1])
        self.assertEqual(homes, {'0', '1', '2'})
        answers = [json.loads(line) for line in
                   status('--job', job.name, '--key', 'rows:5', '--json').stdout.splitlines()]
        home = answers[answers[0]['home']]
        self.assertEqual(home['owner']['moves'], home['history'][-1]['moves']
                         if home['history'] else 0)
        self.assertTrue(any(answer['leases_count'] > 0 for answer in answers), answers)
        for key, word in (('none:5', "no table 'none', but: rows"), ('rows:100', '100'),
                          ('rows', 'TABLE:KEY'), ('rows:x', 'TABLE:KEY'), (':1', 'TABLE:KEY')):
            found = status('--job', job.name, '--key', key)
            self.assertEqual((found.returncode, found.stdout), (2, ''), key)
            self.assertIn(word, found.stderr)

    def check_rates(self, job: Job) -> None:
        with subprocess.Popen([GODWIT, 'status', '--job', job.name, '--watch', '0.5'],
                              stdout=subprocess.PIPE, text=True) as watch:
            lines = [watch.stdout.readline() for _ in range(7)]
            watch.terminate()
        self.assertIn('ticks/s', lines[0])
        for i, line in enumerate(lines[1:]):
            cells = line.split()
            self.assertEqual(cells[:2], [job.name, str(i % 3)])
            self.assertGreater(int(cells[3]), 0, line)

    def test_strangers_do_not_disturb_the_job(self):
        job = self.start(6)
        silent = [self.enter(connect(job, node)) for node in (0, 1, 2) for _ in range(50)]
        for _ in range(10):
            for garbage in (b'\0\xff' * 10 + b'\n', b'key\n', b'\n\n\n', b'{"status"}\n'):
                with connect(job, 0) as client:
                    client.sendall(garbage)
                    self.assertIn(b'"error"', read_all(client))
        with connect(job, 1) as client:
            try:
                client.sendall(b'x' * (1 << 20))
            except ConnectionError:
                pass
            self.assertEqual(read_all(client), b'')
        deaf = []
        for _ in range(20):
            deaf.append(self.enter(connect(job, 2)))
            deaf[-1].sendall(b'status\n')
        self.assertEqual(status('--job', job.name).returncode, 0)
        begin = time.monotonic()
        self.assertEqual(read_all(silent[-1]), b'')
        self.assertLess(time.monotonic() - begin, 4)
        self.assert_ends_well(job)

    @unittest.skipUnless(os.geteuid() == 0, 'only root can be somebody else')
    def test_another_user_gets_no_answer(self):
        job = self.start(3)
        door = door_of(job, 0)
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            answer = b''
            try:
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
                    client.connect(door)
                    client.sendall(b'status\n')
                    answer = read_all(client)
            except ConnectionError:
                pass  # it was sent away before it could ask
            os._exit(len(answer) > 0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(status('--job', job.name).returncode, 0)
        self.assert_ends_well(job)

    def test_a_frozen_node_is_named_within_seconds(self):
        job = self.start(6)
        job.processes[1].send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        found = status('--job', job.name)
        self.assertLess(time.monotonic() - begin, 4)
        job.processes[1].send_signal(signal.SIGCONT)
        self.assertEqual(found.returncode, 3)
        self.assertRegex(found.stdout, rf'node 1, pid {job.processes[1].pid}, does not answer: no '
                                       r'answer within 2(\.0+)? s')
        self.assertIn('2 of 3 nodes answer', found.stdout)

    def test_a_node_killed_while_it_is_asked(self):
        job = self.start(60)
        stop = threading.Event()
        codes = []

        def ask() -> None:
            while not stop.is_set():
                found = status('--job', job.name)
                codes.append((found.returncode, found.stdout + found.stderr))

        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(0.3)
        job.processes[2].send_signal(signal.SIGKILL)
        time.sleep(2)
        stop.set()
        thread.join()
        self.assertEqual({code for code, _ in codes} - {0, 1, 3}, set(), codes)
        self.assertTrue(any(code == 3 and 'node 2 is' in text for code, text in codes), codes[-1])
        ends = job.finish(20)
        self.assertEqual([code for code, _, _ in ends], [3, 3, -signal.SIGKILL], ends)

    def test_two_jobs_are_told_apart(self):
        first, second = self.start(4), self.start(4)
        both = status()
        self.assertIn(f'job {first.name}: 3 of 3', both.stdout)
        self.assertIn(f'job {second.name}: 3 of 3', both.stdout)
        self.assertEqual(status('--key', 'rows:1').returncode, 2)
        self.assertEqual(status('--job', 'godwit-test-').returncode, 2)
        self.assert_ends_well(first)
        self.assert_ends_well(second)


if __name__ == '__main__':
    GODWIT = os.path.abspath(sys.argv.pop(1))
    LEASE_JOB = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
