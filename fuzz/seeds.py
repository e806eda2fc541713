#!/usr/bin/env python3
"""Writes the hand-made seeds of the corpora; run it inside fuzz/."""

import hashlib
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


def paths(*paths):
    return b"".join(b"\x0a" + bytes([len(path)]) + path for path in paths)


def mask():
    seed("mask", "names", b"metadata.name, status.podIPs ,,spec.containers.*.name")
    seed("mask", "aliases", b"status.pod_i_ps,spec.volumes.volume_source.config_map,status.podIps")
    seed("mask", "keys", b"metadata.labels.`a.b/c`,metadata.labels.x``y,metadata.labels.`x``y`,metadata.labels.``")
    seed("mask", "stars", b"*,spec.*,spec.containers.args.*,spec.*.name,metadata.labels.*")
    seed("mask", "leaves", b"status.startTime.seconds,spec.nodeName.x,metadata.labels.a.b/c,spec.overhead.cpu")
    seed("mask", "reserved", b"spec.containers(name,image),spec.containers[0].name,spec.containers.0.name,spec..x,`")
    seed("mask", "lines", b"status\n, \nmetadata.uid\nspec.workloadRef,kind")
    seed("mask", "encoded", paths(b"status.phase", b"metadata.labels.`\xc3\xbc`", b""))
    seed("mask", "encoded_badly", paths(b"status.phase") + b"\x08\x01")


def project():
    """Decisions, not bytes of pods: what they mean is up to the generators."""
    for number in range(12):
        decisions = b"".join(hashlib.sha256(bytes([number, part])).digest() for part in range(1 + number))
        seed("project", f"drawn_{number}", decisions)


authority()
mask()
project()
