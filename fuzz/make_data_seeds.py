#!/usr/bin/env python3
# fuzz/make_data_seeds.py: writes the seeds of data_fuzz, the same bytes every time: the first byte
# says which reader, the rest is a small file of its kind, plain and packed in every way.
import gzip
import io
import lzma
import tarfile
from pathlib import Path

READERS = {
    0: (b'user,item,rating\nu1,"i, 1",3.5\n\nu2,i2,-1e-3\n', b'1::2::3::4\n5::6::7::8\n'),
    1: (b'a\tr\tb\nb\tr\tc\n', b'a r b\r\nb s a\n'),
    2: (b'+1 3:1 7:0.5\n-1\n0 0:2 # rest\n',),
    3: (b'a b a\nc a b\n\nb a', ),
    4: (b': one\na b c d\n: two\ne f g h\n',),
    5: (b'generated:lowrank,rows=10,zipf=1.1', b'generated:ctr,rate=0.1,seed=3'),
}


def tar_of(text: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as tar:
        for name in ('train.txt', 'test.txt'):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    return out.getvalue()[:4096]


def main() -> None:
    folder = Path(__file__).parent / 'corpus' / 'data_fuzz'
    folder.mkdir(parents=True, exist_ok=True)
    for reader, texts in READERS.items():
        for number, text in enumerate(texts):
            seed = bytes([reader])
            (folder / f'plain_{reader}_{number}').write_bytes(seed + text)
    text = READERS[1][0]
    (folder / 'gzip').write_bytes(b'\x01' + gzip.compress(text, mtime=0))
    (folder / 'xz').write_bytes(b'\x01' + lzma.compress(text))
    (folder / 'tar').write_bytes(b'\x01' + tar_of(text))
    (folder / 'tar_gzip').write_bytes(b'\x01' + gzip.compress(tar_of(text), mtime=0))


if __name__ == '__main__':
    main()
