"""Image files whose formats need no codec library: BMP, PNM and PNG.

Source: ISO/IEC 15948:2004, Portable Network Graphics; http://netpbm.sourceforge.net/doc/ppm.html
"""

from __future__ import annotations

import zlib

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import standard

_PNG = b"\x89PNG\r\n\x1a\n"
_OTHERS = {
    b"\xff\xd8\xff": "JPEG",
    b"\x00\x00\x00\x0cjP  ": "JPEG 2000",
    b"RIFF": "WebP",
    b"II*\x00": "TIFF",
    b"MM\x00*": "TIFF",
    b"GIF8": "GIF",
}


@standard("ImageDecoder", open_dims=True)
def image_decoder(stream: Array, *, pixel_format: str = "RGB") -> Array:
    """Decode an image file to ``[height, width, channels]``.

    Raise ShapeError for a format that is not decoded here, or a damaged file.
    """
    content = stream.astype(np.uint8).tobytes()
    if content.startswith(b"BM"):
        image = _bmp(content)
    elif content[:2] in (b"P5", b"P6"):
        image = _pnm(content)
    elif content.startswith(_PNG):
        image = _png(content)
    else:
        names = (name for start, name in _OTHERS.items() if content.startswith(start))
        raise ShapeError.at(
            "input#0",
            "this image format is not decoded here",
            expected="BMP, PNM or PNG",
            found=next(names, "an unknown one"),
        )
    return _with_channels(image, pixel_format)


def _with_channels(image: Array, wanted: str) -> Array:
    """Return the channels that are wanted of an image with 1 (grey) to 4 (with opacity)."""
    grey = image.shape[2] < 3
    if wanted == "Grayscale":
        if grey:
            return image[:, :, :1]
        weights = np.array([19595, 38470, 7471])  # of BT.601, in 1 / 65536
        total = (image[:, :, :3].astype(np.int64) @ weights + 32768) >> 16
        return np.asarray(total[:, :, None], np.uint8)
    colours = np.repeat(image[:, :, :1], 3, 2) if grey else image[:, :, :3]
    if wanted not in ("RGB", "BGR"):
        raise ShapeError.at("", "unknown pixel_format", expected="RGB, BGR", found=wanted)
    return np.ascontiguousarray(colours if wanted == "RGB" else colours[:, :, ::-1])


def _number(content: bytes, place: int, size: int = 4) -> int:
    return int.from_bytes(content[place : place + size], "little", signed=True)


def _bmp(content: bytes) -> Array:
    """Decode a bitmap of 24 or 32 bits per pixel: rows of blue, green, red, from the bottom."""
    start, width, height = (_number(content, place) for place in (10, 18, 22))
    bits, packed = _number(content, 28, 2), _number(content, 30)
    if bits not in (24, 32) or packed:
        raise ShapeError.at("input#0", "a BMP of this kind is not decoded", found=bits)
    row = (width * bits // 8 + 3) // 4 * 4
    data = np.frombuffer(content, np.uint8, row * abs(height), start).reshape(abs(height), row)
    image = data[:, : width * bits // 8].reshape(abs(height), width, bits // 8)[:, :, 2::-1]
    return image[::-1] if height > 0 else image


def _pnm(content: bytes) -> Array:
    """Decode a binary grey map or pixel map with 8 bits per channel."""
    words: list[bytes] = []
    place = 0
    while len(words) < 4:
        end = place
        while not content[end : end + 1].isspace():
            if content[end : end + 1] == b"#":
                end = content.index(b"\n", end)
                place = end
                break
            end += 1
        if end > place:
            words.append(content[place:end])
        place = end + 1
    width, height, largest = map(int, words[1:])
    if largest != 255:
        raise ShapeError.at("input#0", "a PNM of 16 bits is not decoded", found=largest)
    channels = 3 if words[0] == b"P6" else 1
    pixels = np.frombuffer(content, np.uint8, width * height * channels, place)
    return pixels.reshape(height, width, channels)


def _png(content: bytes) -> Array:
    """Decode a PNG with 8 bits per channel, without palette and interlacing."""
    header, data, place = b"", b"", len(_PNG)
    while place < len(content):
        size = int.from_bytes(content[place : place + 4], "big")
        kind, chunk = content[place + 4 : place + 8], content[place + 8 : place + 8 + size]
        header = chunk if kind == b"IHDR" else header
        data += chunk if kind == b"IDAT" else b""
        place += size + 12
    width, height = (int.from_bytes(header[at : at + 4], "big") for at in (0, 4))
    depth, colour, interlaced = header[8], header[9], header[12]
    channels = {0: 1, 2: 3, 4: 2, 6: 4}.get(colour)
    if depth != 8 or channels is None or interlaced:
        raise ShapeError.at(
            "input#0", "a PNG of this kind is not decoded", found=f"{depth} bits, {colour}"
        )
    try:
        rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, -1)
    except zlib.error as error:
        raise ShapeError.at("input#0", f"the PNG is damaged: {error}") from None
    return _unfiltered(rows, width, channels)


def _unfiltered(rows: Array, width: int, channels: int) -> Array:
    """Undo what makes rows compress better: differences to the left, above, or of both."""
    image = np.zeros((len(rows), width, channels), np.int64)
    above = np.zeros((width, channels), np.int64)
    for y, row in enumerate(rows):
        kind, line = row[0], row[1:].reshape(width, channels).astype(np.int64)
        if kind == 1:
            line = np.cumsum(line, 0)
        elif kind == 2:
            line = line + above
        elif kind in (3, 4):
            left = corner = np.zeros(channels, np.int64)
            for x in range(width):
                near = (left + above[x]) // 2 if kind == 3 else _nearest(left, above[x], corner)
                left, corner = (line[x] + near) % 256, above[x]
                line[x] = left
        above = image[y] = line % 256
    return image.astype(np.uint8)


def _nearest(left: Array, above: Array, corner: Array) -> Array:
    """Return the neighbour that is nearest to left + above - corner (A. Paeth)."""
    guess = left + above - corner
    distances = np.abs(np.stack([guess - left, guess - above, guess - corner]))
    return np.asarray(np.choose(distances.argmin(0), [left, above, corner]))
