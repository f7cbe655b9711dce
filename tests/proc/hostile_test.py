#!/usr/bin/env python3
"""tests/proc/hostile_test.py: strangers at the ports of a running job: garbage, slow readers, a
thousand connections, a wrong token. The job must not notice.

  hostile_test.py PATH/sum_job [unittest arguments]
"""
import os
import random
import re
import resource
import socket
import struct
import sys
import time
import unittest

from job import Job

SUM_JOB = ''
MAGIC = 0x0a0d746977646f67
CONNECTIONS = 1000


def sockets_of(pid: int) -> set[str]:
    inodes = set()
    for name in os.listdir(f'/proc/{pid}/fd'):
        try:
            found = re.fullmatch(r'socket:\[(\d+)\]', os.readlink(f'/proc/{pid}/fd/{name}'))
        except FileNotFoundError:
            continue
        if found:
            inodes.add(found.group(1))
    return inodes


def doors_of(pid: int) -> list:
    """Addresses at which a process listens: (host, port), or the name of a Unix socket."""
    inodes = sockets_of(pid)
    doors = []
    with open('/proc/net/tcp', encoding='ascii') as table:
        for line in list(table)[1:]:
            fields = line.split()
            if fields[3] == '0A' and fields[9] in inodes:
                doors.append(('127.0.0.1', int(fields[1].split(':')[1], 16)))
    with open('/proc/net/unix', encoding='utf-8') as table:
        for line in list(table)[1:]:
            fields = line.split()
            listens = int(fields[3], 16) & 0x10000
            if listens and fields[6] in inodes and len(fields) > 7:
                doors.append('\0' + fields[7][1:])
    return doors


def knock(door) -> socket.socket:
    family = socket.AF_INET if isinstance(door, tuple) else socket.AF_UNIX
    client = socket.socket(family, socket.SOCK_STREAM)
    client.settimeout(10)
    try:
        client.connect(door)
    except OSError:
        client.close()
        raise
    return client


def message(kind: int, body: bytes) -> bytes:
    return struct.pack('<IB', 1 + len(body), kind) + body


def opening(job: str, node: int, wanted: int, version: int = 1) -> bytes:
    name = job.encode()
    return message(1, struct.pack('<QIBI', MAGIC, version, 1, len(name)) + name +
                   struct.pack('<qqq', node, wanted, 77) + os.urandom(32))


def read_all(client: socket.socket) -> bytes:
    """Until the other side closes the connection, which it must within seconds."""
    received = b''
    try:
        while more := client.recv(4096):
            received += more
    except ConnectionResetError:
        pass
    return received


def memory_kib(pid: int) -> int:
    with open(f'/proc/{pid}/status', encoding='ascii') as status:
        return int(re.search(r'VmRSS:\s+(\d+) kB', status.read()).group(1))


class HostileTest(unittest.TestCase):
    """Each test attacks a job of two nodes that works meanwhile, and then ends well."""

    def setUp(self):
        self.job = Job(SUM_JOB, 2, '200000')
        self.addCleanup(self.end)  # also if what follows fails, when there is no tearDown
        self.job.wait_until_working()
        self.pids = [process.pid for process in self.job.processes]
        self.doors = [(node, door) for node, pid in enumerate(self.pids) for door in doors_of(pid)]
        self.assertEqual(len(self.doors), 6, 'a TCP, a Unix and a status socket of each node')
        self.peer_doors = [(node, door) for node, door in self.doors
                           if 'godwit-status' not in str(door)]
        self.memory = [memory_kib(pid) for pid in self.pids]

    def end(self):
        for process in self.job.processes:
            process.kill()
            process.wait()

    def tearDown(self):
        grown = [memory_kib(pid) - before for pid, before in zip(self.pids, self.memory)]
        print(f'{self._testMethodName}: memory grew by {grown} KiB', file=sys.stderr)
        self.assertLess(max(grown), 20_000)
        for process in self.job.processes:
            self.assertIsNone(process.poll(), 'the job still works')
            process.terminate()
        self.job.finish(10)

    def test_garbage_is_refused(self):
        prng = random.Random(1)
        for _, door in self.doors:
            for size in (1, 3, 64, 5000, 300_000):
                with knock(door) as client:
                    try:
                        client.sendall(prng.randbytes(size))
                        client.shutdown(socket.SHUT_WR)
                    except OSError:
                        pass  # it has seen enough and has gone
                    read_all(client)

    def test_huge_lengths_are_refused(self):
        for _, door in self.doors:
            with knock(door) as client:
                client.sendall(struct.pack('<I', 0xffffffff) + b'x' * 100)
                self.assertEqual(read_all(client), b'')

    def test_another_version_is_told(self):
        for node, door in self.peer_doors:
            with knock(door) as client:
                client.sendall(opening(self.job.name, 1 - node, node, version=99))
                self.assertIn(b'version 99', read_all(client))

    def test_a_wrong_token_is_refused(self):
        # Node 1 connects to node 0, so only node 0 goes on as far as the proof.
        for node, door in self.peer_doors:
            with knock(door) as client:
                client.sendall(opening(self.job.name, 1 - node, node))
                try:
                    client.sendall(message(3, os.urandom(32)))
                except BrokenPipeError:
                    pass  # node 1 may have refused the opening already
                self.assertIn(b'different tokens' if node == 0 else b'not the other way',
                              read_all(client))

    def test_who_says_nothing_is_sent_away(self):
        clients = [knock(door) for _, door in self.doors]
        begin = time.monotonic()
        for client in clients:
            with client:
                self.assertEqual(read_all(client), b'')
        self.assertLess(time.monotonic() - begin, 9)

    def test_a_thousand_connections_that_neither_read_nor_speak(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
        clients = []
        try:
            for i in range(CONNECTIONS):
                node, door = self.doors[i % len(self.doors)]
                client = knock(door)
                if i % 2:
                    client.sendall(opening(self.job.name, 1 - node, node)[:i % 80])
                clients.append(client)
            for pid in self.pids:
                self.assertLess(len(sockets_of(pid)), 300)
        finally:
            for client in clients:
                client.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_the_sums_of_a_job_under_attack_are_right(self):
        job = Job(SUM_JOB, 2, '3000')
        job.wait_until_working()
        doors = doors_of(job.processes[0].pid)
        attacks = 0
        while job.processes[0].poll() is None:
            for data in (b'x' * 1000, struct.pack('<I', 1 << 31), opening(job.name, 1, 0, 9),
                         opening(job.name, 1, 0) + message(3, bytes(32))):
                try:
                    with knock(random.choice(doors)) as client:
                        client.sendall(data)
                    attacks += 1
                except OSError:
                    pass  # the job is over
        self.assertGreater(attacks, 100)
        for code, out, err in job.finish(20):
            self.assertEqual(code, 0, err)
            self.assertIn('sums are right', out)


if __name__ == '__main__':
    SUM_JOB = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
