#!/usr/bin/env python3
# fuzz/make_wire_seeds.py: writes fuzz/corpus/wire_fuzz/seed_*, one small frame a file. Packs the
# format a second time, from its description in src/wire; a test demands that all seeds decode.
import struct
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / 'corpus' / 'wire_fuzz'
REQUEST, NODE, TABLE = 17, 2, 4


def part(kind: int, payload: bytes) -> bytes:
    return struct.pack('<B3xI', kind, len(payload)) + payload + bytes(-len(payload) % 8)


def frame(*parts: bytes, sequence: int = 0, received: int = 0, term: int = 3) -> bytes:
    return struct.pack('<B7xQQQ', 2, sequence, received, term) + b''.join(parts)


def text(words: str) -> bytes:
    return struct.pack('<H', len(words)) + words.encode()


def pull(keys: list[int], positions: list[int], stable: int = 0) -> bytes:
    return part(1, struct.pack('<QIIIBBBxII', REQUEST, NODE, TABLE, len(keys), 1, bool(positions),
                               1, 6, stable)
                + struct.pack(f'<{len(keys)}Q', *keys)
                + struct.pack(f'<{len(positions)}I', *positions))


def answer(row_length: int, values: list[float], positions: list[int]) -> bytes:
    count = len(values) // row_length
    return part(2, struct.pack('<QIIIB3x', REQUEST, NODE, row_length, count, bool(positions))
                + struct.pack(f'<{len(values)}f', *values)
                + struct.pack(f'<{len(positions)}I', *positions))


def push(mode: int, row_length: int, keys: list[int], floats: list[float]) -> bytes:
    return part(3, struct.pack('<QIIIIBBBxI', REQUEST, NODE, TABLE, row_length, len(keys), 0, mode,
                               0, 0)
                + struct.pack(f'<{len(keys)}Q', *keys) + struct.pack(f'<{len(floats)}f', *floats))


def marked_push(keys: list[int], floats: list[float]) -> bytes:
    return part(3, struct.pack('<QIIIIBBBBIqII', REQUEST, NODE, TABLE, 1, len(keys), 0, 0, 0, 2, 0,
                               17, 3, 5)
                + struct.pack(f'<{len(keys)}Q', *keys) + struct.pack(f'<{len(floats)}f', *floats))


def spec(name: str, rule: int, init: int, consistency: int) -> bytes:
    return struct.pack('<QIBBBBBB2x6fQq', 1000, 64, rule, init, consistency, 1, 2, 1,
                       0.1, 0.9, 0.9, 0.999, 1e-8, 0.5, 99, 3) + text(name)


def outcome(ok: bool, code: int, words: str) -> bytes:
    return struct.pack('<BB', ok, code) + text(words)


def items(floats: list[float], *want_and_delta: tuple[int, int]) -> bytes:
    deltas = sum(delta for _, delta in want_and_delta)
    records = b''.join(struct.pack('<QQIIBBB5x', 5, 6, NODE, 7, want, delta, 1)
                       for want, delta in want_and_delta)
    row_floats = len(floats) // deltas if deltas else 3
    head = struct.pack('<IIIIB7x', TABLE, row_floats, len(want_and_delta), deltas, 0)
    return part(24, head + records
                + struct.pack(f'<{len(floats)}f', *floats))


def exchange(codec: int, kept: int, keys: list[int], words: list[int]) -> bytes:
    return part(60, struct.pack('<QQQQIIIIIBBBBB7x', REQUEST, 3, 32, 1, TABLE, 1, 4, kept,
                                len(keys), 3, codec, 1, 0, 1)
                + struct.pack(f'<{len(keys)}Q', *keys) + struct.pack(f'<{len(words)}I', *words))


SEEDS = {
    'header_only': frame(),
    'pull': frame(pull([5, 1 << 60], [])),
    'pull_none': frame(pull([], [])),
    'pull_positions': frame(pull([1, 2, 3], [9, 0, 4])),
    'answer': frame(answer(2, [1, -2, 0.5, float('inf')], [])),
    'answer_positions': frame(answer(1, [1, float('nan'), 3], [2, 1, 0])),
    'answer_none': frame(answer(8, [], [])),
    'push': frame(push(0, 2, [7], [1, 2])),
    'push_set_keep': frame(push(1, 1, [7, 8, 9], [1, 2, 3])),
    'push_set_reset': frame(push(2, 3, [7], [1, 2, 3])),
    'push_none': frame(push(0, 1, [], [])),
    'applied': frame(part(4, struct.pack('<QII', REQUEST, NODE, 12))),
    'refused': frame(part(5, struct.pack('<QIIBx', REQUEST, NODE, 12, 4) + text('too late'))),
    'pull_stable': frame(pull([3, 4], [], 18)),
    'push_marked': frame(marked_push([3, 4], [1, 2])),
    'open_table': frame(part(16, struct.pack('<QI', REQUEST, NODE) + spec('users', 4, 3, 0))),
    'make_table': frame(part(17, struct.pack('<I', TABLE) + spec('items.2', 1, 2, 1))),
    'made_table': frame(part(18, struct.pack('<I', TABLE) + outcome(True, 0, ''))),
    'made_table_not': frame(part(18, struct.pack('<I', TABLE) + outcome(False, 2, 'no memory'))),
    'table_ready': frame(part(19, struct.pack('<QI', REQUEST, TABLE) + outcome(True, 0, ''))),
    'table_ready_not': frame(part(19, struct.pack('<QI', REQUEST, 0) + outcome(False, 0, 'no'))),
    'drop_table': frame(part(20, struct.pack('<I', TABLE))),
    'row_items': frame(items([1, 2], (1, 1), (2, 0))),
    'row_items_wants': frame(items([], (1, 0))),
    'row_acks': frame(part(25, struct.pack('<IIQQI4x', TABLE, 1, 5, 6, 7))),
    'row_refreshes': frame(part(26, struct.pack('<III4xQQQI4x2f', TABLE, 2, 1, 5, 6, 7, 8, 1, 2))),
    'row_transfers': frame(part(27, struct.pack('<IIIIQQIIQIBB2xf', TABLE, 1, 1, 1, 5, 6, 7, 1, 9,
                                                NODE, 1, 1, 0.5))),
    'row_places': frame(part(28, struct.pack('<IIB7xQII', TABLE, 1, 2, 5, NODE, 7))),
    'barrier': frame(part(32, struct.pack('<QI', 6, NODE))),
    'released': frame(part(33, struct.pack('<QI', 6, 0))),
    'released_without': frame(part(33, struct.pack('<QIII', 6, 2, 1, 3))),
    'beat': frame(part(34, b'')),
    'receipt': frame(part(35, b''), received=812),
    'clock': frame(part(40, struct.pack('<Q', 8 << 16 | 3))),
    'join_clock': frame(part(41, b'')),
    'joined_clock': frame(part(42, struct.pack('<qq', 258, 259))),
    'step_begins': frame(part(48, struct.pack('<QQIBBBxIIQIIQII', 7, 40, 10, 0, 1, 0, 1, 1, 6, 1, 2,
                                              258, 32, 3))),
    'step_result': frame(part(49, struct.pack('<QIIddqqB', 7, 2, 32, 1, 2, 3, 4, 1))),
    'step_movement': frame(part(50, struct.pack('<Qddd', 7, 1, -2, 2))),
    'join_steps': frame(part(51, struct.pack('<IIIH', 2, 0, 5, 2) + b'so')),
    'group_joins': frame(part(56, struct.pack('<QQIII', REQUEST, 3, 1, 0, 2))),
    'group_progress': frame(part(57, struct.pack('<Q', 812))),
    'group_leaves': frame(part(58, b'')),
    'groups_now': frame(part(59, struct.pack('<QQI4xQIIQII', 5, 3, 2, 1, 0, 2, 4, 1, 2))),
    'exchange': frame(exchange(0, 0, [5], [1, 2, 3, 4])),
    'exchange_bf16': frame(exchange(1, 0, [5, 6], [1, 2, 3, 4])),
    'exchange_int8': frame(exchange(2, 0, [5, 6], [1, 2, 3, 4])),
    'exchange_topk': frame(exchange(3, 1, [5, 9], [0, 1065353216, 3, 1065353216])),
    'exchange_none': frame(exchange(0, 0, [], [])),
    'exchanged': frame(part(61, struct.pack('<QQIIfIBB6x4I', REQUEST, 4, 1, 2, 0.45, 4, 0, 1,
                                            1, 2, 3, 4))),
    'exchanged_none': frame(part(61, struct.pack('<QQIIfIBB6x', REQUEST, 4, 0, 2, 0, 4, 1, 0))),
    'round_part': frame(part(62, struct.pack('<QQIII', 3, 1, 1, 0, 2))),
    'round_ready': frame(part(63, struct.pack('<QQI', 3, 1, 1))),
    'round_ends': frame(part(64, struct.pack('<QI4xQII', 3, 1, 1, 0, 2))),
    'bye': frame(part(36, bytes(2) + text(''))),
    'bye_failed': frame(part(36, b'\1\0' + text('disk full'))),
    'mixed': frame(pull([3], []), push(0, 1, [4], [5]), answer(1, [6], [7]), part(34, b''),
                   part(4, struct.pack('<QII', REQUEST, NODE, 1)), sequence=8, received=7),
}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, seed in SEEDS.items():
        (FOLDER / f'seed_{name}').write_bytes(seed)


if __name__ == '__main__':
    main()
