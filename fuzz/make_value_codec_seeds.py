#!/usr/bin/env python3
# fuzz/make_value_codec_seeds.py: writes fuzz/corpus/value_codec_fuzz/seed_*, one coded row a file.
# Packs the format a second time, from its description in src/wire/value_codec.h.
import struct
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / 'corpus' / 'value_codec_fuzz'
NAN, INFINITY = float('nan'), float('inf')
LARGEST, SMALLEST = 3.4028234663852886e38, 1e-45


def row(codec: int, floats: int, room: int, payload: bytes) -> bytes:
    padded = payload + bytes(-len(payload) % 4)
    return bytes([codec, room - floats]) + padded


def fp32(*values: float) -> bytes:
    return row(0, len(values), len(values), struct.pack(f'<{len(values)}f', *values))


def bf16(*halves: int) -> bytes:
    return row(1, len(halves), -(-len(halves) // 2) * 2, struct.pack(f'<{len(halves)}H', *halves))


def int8(scale: float, *multiples: int) -> bytes:
    count = len(multiples)
    return row(2, count, -(-count // 4) * 4, struct.pack(f'<f{count}b', scale, *multiples))


SEEDS = {
    'fp32': fp32(1, -2, 0.5),
    'fp32_odd_numbers': fp32(NAN, INFINITY, -INFINITY, LARGEST, SMALLEST, -0.0),
    'bf16': bf16(0x3f80, 0xc000, 0x3f00),
    'bf16_odd_numbers': bf16(0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x7f7f, 0xff7f, 1, 0x8000),
    'bf16_long': bf16(*range(0x3f00, 0x3f00 + 67)),
    'int8': int8(1, 1, -2, 127, -127, 0),
    'int8_beyond_127': int8(0.1, -128, 127),
    'int8_long': int8(0.013, *range(-33, 34)),
    'int8_nan': int8(NAN, 1, 2, 3),
    'int8_infinite': int8(INFINITY, 1, 0, -1, 5),
    'int8_becomes_infinite': int8(LARGEST, 1, 2),
    'int8_no_scale': int8(0, 1, -1, 2),
    'int8_negative': int8(-2, 1, -1, 2),
    'int8_tiny': int8(SMALLEST, 127, -127, 64, 1),
    'int8_scale_only': int8(1),
    'empty': b'\1\0',
}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, seed in SEEDS.items():
        (FOLDER / f'seed_{name}').write_bytes(seed)


if __name__ == '__main__':
    main()
