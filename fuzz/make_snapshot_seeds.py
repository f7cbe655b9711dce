#!/usr/bin/env python3
"""fuzz/make_snapshot_seeds.py: writes the seeds of snapshot_fuzz, packed here and not by Godwit."""
import json
import os
import struct

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'corpus', 'snapshot_fuzz')


def shard(keys: list[int], length: int, state: int) -> bytes:
    rows = len(keys)
    ends = [8 * rows, 8 * rows + 4 * rows * length, 8 * rows + 4 * rows * (length + state)]
    header = {'keys': {'dtype': 'U64', 'shape': [rows], 'data_offsets': [0, ends[0]]},
              'values': {'dtype': 'F32', 'shape': [rows, length],
                         'data_offsets': [ends[0], ends[1]]}}
    if state:
        header['state'] = {'dtype': 'F32', 'shape': [rows, state],
                           'data_offsets': [ends[1], ends[2]]}
    text = json.dumps(header).encode()
    floats = struct.pack(f'<{rows * (length + state)}f', *range(rows * (length + state)))
    return struct.pack('<Q', len(text)) + text + struct.pack(f'<{rows}Q', *keys) + floats


def manifest_body() -> bytes:
    """Up to the field of its sum, which the fuzzer adds."""
    sums = {'bytes': 12, 'xxh3': '00000000000000ff'}
    table = {'name': 't', 'rows': 9, 'row_length': 2, 'rule': 'adagrad:lr=0.1,eps=1e-10',
             'init': {'kind': 'normal', 'scale': 0.5, 'seed': 7}, 'consistency': 'ssp:2',
             'accept_nonfinite': False, 'placement': 'intent', 'codec': 'fp32',
             'shards': [dict(sums, rows=3, file=f't-0000{i}-of-00002.safetensors')
                        for i in range(2)]}
    manifest = {'format': 1, 'step': 12, 'nodes': 2, 'notes': {'epoch': '3'}, 'tables': [table],
                'files': [dict(sums, node=1, name='x', file='x-00001-of-00002.bin')]}
    return json.dumps(manifest, indent=2)[:-2].encode() + b',\n  '


def main() -> None:
    os.makedirs(FOLDER, exist_ok=True)
    seeds = {'seed_empty': shard([], 1, 0), 'seed_plain': shard([1, 5, 2**64 - 1], 3, 0),
             'seed_state': shard([0, 7], 2, 5), 'seed_falling': shard([7, 0], 1, 1),
             'seed_manifest': manifest_body()}
    for name, data in seeds.items():
        with open(os.path.join(FOLDER, name), 'wb') as file:
            file.write(data)


if __name__ == '__main__':
    main()
