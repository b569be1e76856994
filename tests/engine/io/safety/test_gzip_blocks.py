"""Tests of gzip in blocks: one member for any reader, same bytes for any number of threads."""

import gzip
import zlib

import numpy as np
import pytest

from engine.io.safety.gzip_blocks import BLOCK, HEADER, gzipped


def noise(n_bytes):
    return np.random.default_rng(3).bytes(n_bytes)


def texts(n_bytes):
    """Return repetitions that cross block boundaries."""
    return (b"the quick brown fox jumps over the lazy dog; " * (n_bytes // 40 + 1))[:n_bytes]


@pytest.mark.parametrize("make", [noise, texts, bytes])
@pytest.mark.parametrize("n_bytes", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_any_reader_restores_the_bytes(make, n_bytes):
    content = make(n_bytes)
    packed = gzipped(content, threads=2)
    assert gzip.decompress(packed) == content
    stream = zlib.decompressobj(wbits=31)  # decompression stops at the end of the first member
    assert stream.decompress(packed) == content
    assert stream.eof and not stream.unused_data
    assert packed.startswith(HEADER)


def test_number_of_threads_does_not_change_the_bytes():
    content = noise(BLOCK) + texts(2 * BLOCK) + bytes(BLOCK)
    assert gzipped(content, threads=1) == gzipped(content, threads=3)


def test_repetitions_are_compressed_and_noise_does_not_grow():
    assert len(gzipped(texts(2 * BLOCK))) < BLOCK / 50
    assert len(gzipped(noise(2 * BLOCK))) < 2.001 * BLOCK
