"""Image files, written here byte by byte, are read as they were."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.images.decoder import image_decoder
from tests.kernels.case import Array

IMAGE = np.random.default_rng(0).integers(0, 256, (6, 7, 3)).astype(np.uint8)


def stream(content: bytes) -> Array:
    return np.frombuffer(content, np.uint8)


def png(image: Array, filters: list[int]) -> bytes:
    """Write a PNG whose rows use the given filters."""
    height, width, channels = image.shape
    data, above = b"", np.zeros((width, channels), np.int64)
    for row, kind in zip(image.astype(np.int64), filters, strict=True):
        left = np.vstack([np.zeros((1, channels), np.int64), row[:-1]])
        corner = np.vstack([np.zeros((1, channels), np.int64), above[:-1]])
        guess = left + above - corner
        near = np.abs(np.stack([guess - left, guess - above, guess - corner])).argmin(0)
        paeth = np.where(near == 0, left, np.where(near == 1, above, corner))
        taken = (0, left, above, (left + above) // 2, paeth)[kind]
        data += bytes([kind]) + ((row - taken) % 256).astype(np.uint8).tobytes()
        above = row
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"tEXt", b"a\0b"), (b"IDAT", zlib.compress(data)), (b"IEND", b"")]
    packed = [struct.pack(">I", len(c)) + k + c + struct.pack(">I", 0) for k, c in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


@pytest.mark.parametrize("kind", range(5))
def test_png_filters(kind: int) -> None:
    found = image_decoder(stream(png(IMAGE, [kind] * len(IMAGE))))
    np.testing.assert_array_equal(found, IMAGE)


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_png_channels(channels: int) -> None:
    image = (
        np.repeat(IMAGE[:, :, :1], channels, 2)
        if channels < 3
        else np.dstack([IMAGE, IMAGE[:, :, 0]])
    )
    found = image_decoder(stream(png(image, [4, 3, 2, 1, 0, 4])))
    wanted = np.repeat(IMAGE[:, :, :1], 3, 2) if channels < 3 else IMAGE
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("sign", [1, -1])
def test_bmp_from_the_bottom_or_the_top(sign: int) -> None:
    height, width, _ = IMAGE.shape
    rows = [row[:, ::-1].tobytes() + bytes(-3 * width % 4) for row in IMAGE[::-sign]]
    header = struct.pack("<2sIIIIiiHHI", b"BM", 0, 0, 54, 40, width, sign * height, 1, 24, 0)
    content = header + bytes(54 - len(header)) + b"".join(rows)
    np.testing.assert_array_equal(image_decoder(stream(content)), IMAGE)
    blue = image_decoder(stream(content), pixel_format="BGR")
    np.testing.assert_array_equal(blue, IMAGE[:, :, ::-1])


def test_pnm_with_a_comment() -> None:
    content = b"P6\n# made here\n7 6\n255\n" + IMAGE.tobytes()
    np.testing.assert_array_equal(image_decoder(stream(content)), IMAGE)
    grey = image_decoder(
        stream(b"P5 7 6 255 " + IMAGE[:, :, 0].tobytes()), pixel_format="Grayscale"
    )
    np.testing.assert_array_equal(grey[:, :, 0], IMAGE[:, :, 0])


def test_grey_is_weighed_as_the_eye_does() -> None:
    content = b"P6 2 1 255\n" + bytes([255, 255, 255, 0, 255, 0])
    assert image_decoder(stream(content), pixel_format="Grayscale").ravel().tolist() == [255, 150]


@pytest.mark.parametrize(
    ("content", "found"),
    [(b"\xff\xd8\xff\xe0", "JPEG"), (b"II*\x00", "TIFF"), (b"text", "an unknown one")],
)
def test_other_formats_are_named(content: bytes, found: str) -> None:
    with pytest.raises(ShapeError, match=rf"not decoded here \(expected .*, found {found}\)"):
        image_decoder(stream(content))
