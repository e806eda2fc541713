#!/usr/bin/env python3
"""Writes the hand-made seeds of the corpora; run it inside fuzz/."""

import pathlib


def seed(target, name, data):
    folder = pathlib.Path("corpus") / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def literal(first, value):
    return bytes([first, len(value)]) + value


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def authority():
    path = literal(0x41, b"run%2Fx.sock")
    start = b"\x83\x86\x84"
    seed("authority", "path", path)
    seed("authority", "good", literal(0x41, b"localhost:80"))
    seed("authority", "huffman", b"\x41\x87" + bytes.fromhex("61c7d61d8a7f9f"))
    seed("authority", "spelled", literal(0x00, b":authority") + b"\x03a/b")
    seed("authority", "empty", b"\x81")
    seed("authority", "empty_literal", b"\x01\x00")
    seed("authority", "resized", b"\x3f\xe1\x1f" + path)
    block = start + path
    seed(
        "authority",
        "frames",
        frame(4, 0, 0, b"")
        + frame(1, 0x2D, 1, b"\x02\x00\x00\x00\x03\x10" + block + b"\x00\x00")
        + frame(0, 1, 1, b"\x00\x00\x00\x00\x00")
        + frame(1, 1, 3, start)
        + frame(9, 4, 3, b"\xbe")
        + frame(6, 0, 0, b"12345678"),
    )


authority()
