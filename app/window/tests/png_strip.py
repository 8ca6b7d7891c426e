"""Parts of PNG pictures side by side in one, for a machine without an image library. Reads what the program's own writer
makes: 8 bits a channel, RGB or RGBA, not interlaced.
"""

import pathlib
import struct
import zlib


def read_png(file):
    """(width, height, rows of RGB bytes)"""
    data = pathlib.Path(file).read_bytes()
    at, packed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, bits, color, _, _, interlaced = header
    if bits != 8 or color not in (2, 6) or interlaced:
        raise ValueError(f"{file} is not a plain RGB or RGBA picture")
    channels = 3 if color == 2 else 4
    return width, height, [only_rgb(row, channels) for row in unfiltered(zlib.decompress(packed), width * channels, channels)]


def only_rgb(row, channels):
    if channels == 3:
        return bytes(row)
    result = bytearray(len(row) // 4 * 3)
    for i in range(3):
        result[i::3] = row[i::4]
    return bytes(result)


def unfiltered(raw, stride, step):
    """The rows; each begins with the number of its filter. `step` is the distance to the pixel on the left."""
    above = bytearray(stride)
    for start in range(0, len(raw), stride + 1):
        row = bytearray(raw[start + 1:start + 1 + stride])
        if raw[start] == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above))
        elif raw[start] != 0:
            for i in range(stride):
                left = row[i - step] if i >= step else 0
                corner = above[i - step] if i >= step else 0
                row[i] = (row[i] + predicted(raw[start], left, above[i], corner)) & 255
        yield row
        above = row


def predicted(kind, left, up, corner):
    if kind == 1:
        return left
    if kind == 3:
        return (left + up) // 2
    guess = left + up - corner
    return min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]


def write_png(file, width, rows):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    packed = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    pathlib.Path(file).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed)
                                   + chunk(b"IEND", b""))


def join(files, area, file, gap=6):
    """The area [x0, y0, x1, y1] of each picture, from left to right with a gap of its first pixel's color."""
    x0, y0, x1, y1 = area
    pictures = [read_png(each)[2] for each in files]
    between = pictures[0][0][:3] * gap
    rows = [between.join(picture[y][3 * x0:3 * x1] for picture in pictures) for y in range(y0, y1)]
    write_png(file, len(rows[0]) // 3, rows)
