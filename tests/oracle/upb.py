"""Compares what masks left of pods with a filter over messages that upb, the decoder of Python's
protobuf, decoded.

Reads the pairs that the example mask_pairs writes; run by tests/oracle/run, which sets PODSAPI_STUBS
(a folder with the Python stubs that protoc made of proto/protos). The filter finds its way by itself:
it knows the definitions, not the schema table of the server.
"""

import os
import sys

sys.path.insert(0, os.environ["PODSAPI_STUBS"])

from google.protobuf.internal import api_implementation  # noqa: E402
from k8s.core_v1_pb2 import Pod  # noqa: E402

# The structs that Go embeds: their fields are one level higher in JSON than in protobuf.
EMBEDDED = {
    "Volume": "volumeSource",
    "Probe": "handler",
    "EphemeralContainer": "ephemeralContainerCommon",
    "ConfigMapVolumeSource": "localObjectReference",
    "SecretProjection": "localObjectReference",
    "ConfigMapProjection": "localObjectReference",
    "ConfigMapEnvSource": "localObjectReference",
    "SecretEnvSource": "localObjectReference",
    "ConfigMapKeySelector": "localObjectReference",
    "SecretKeySelector": "localObjectReference",
}


def split(text, separator):
    """Splits at a separator that does not stand between backquotes."""
    parts, part, quoted = [], "", False
    for character in text:
        quoted ^= character == "`"
        if character == separator and not quoted:
            parts.append(part)
            part = ""
        else:
            part += character
    return [*parts, part]


def unquoted(segment):
    return segment[1:-1].replace("``", "`") if segment.startswith("`") else segment


def named(message, segment):
    name = unquoted(segment)
    if name in message.fields_by_name:
        return message.fields_by_name[name]
    if segment.startswith("`") or "_" not in segment:
        return None
    folded = name.replace("_", "").lower()
    return next((field for field in message.fields if field.name.lower() == folded), None)


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def resolve(path):
    """Returns the numbers of the fields that a path leads through, and the key at its end."""
    message, steps, here = Pod.DESCRIPTOR, [], None
    for segment in split(path, "."):
        if segment == "*":
            continue
        if here is not None and is_map(here):
            steps.append(unquoted(segment))
            continue
        here = named(message, segment)
        if here is None:
            hop = message.fields_by_name[EMBEDDED[message.name]]
            steps.append(hop.number)
            here = named(hop.message_type, segment)
        steps.append(here.number)
        message = here.message_type
    return tuple(steps)


def paths_of(mask):
    """Returns the paths of a mask, or None when it selects everything."""
    elements = [element for element in (e.strip(" \t") for e in split(mask, ",")) if element]
    paths = [resolve(element) for element in elements if element not in ("apiVersion", "kind")]
    return None if not elements or () in paths else paths


def kept(source, paths):
    """Returns a new message with the fields of another to which at least one path leads."""
    target = type(source)()
    for field, value in source.ListFields():
        below = [path[1:] for path in paths if path[0] == field.number]
        if not below:
            continue
        if is_map(field):
            entries = getattr(target, field.name)
            for key in value:
                if () in below or (key,) in below:
                    if field.message_type.fields_by_name["value"].message_type is None:
                        entries[key] = value[key]
                    else:
                        entries[key].CopyFrom(value[key])
        elif () in below and field.message_type is None and not field.is_repeated:
            setattr(target, field.name, value)
        elif field.is_repeated:
            whole = () in below
            getattr(target, field.name).extend(value if whole else [kept(v, below) for v in value])
        else:
            inner = getattr(target, field.name)
            inner.SetInParent()
            inner.MergeFrom(value if () in below else kept(value, below))
    return target


def read(stream, required=True):
    head = stream.read(4)
    if not head and not required:
        return None
    length = int.from_bytes(head, "little")
    part = stream.read(length)
    if len(head) != 4 or len(part) != length:
        sys.exit("the pairs end inside one")
    return part


def main():
    expected = int(sys.argv[1])
    if api_implementation.Type() != "upb":
        sys.exit(f"expected upb, found {api_implementation.Type()}")
    if Pod.FromString(b"\xa2\x06\x00") == Pod():
        sys.exit("messages compare equal whatever their unknown fields are")
    stream, pairs, selected = sys.stdin.buffer, 0, 0
    while (mask := read(stream, required=False)) is not None:
        mask, pod, left = mask.decode(), read(stream), read(stream)
        decoded, paths = Pod.FromString(pod), paths_of(mask)
        filtered = decoded if paths is None else kept(decoded, paths)
        if Pod.FromString(left) != filtered:
            print(f"pair {pairs}: {mask!r} on\n{pod.hex()} left\n{left.hex()}, the filter left")
            sys.exit(filtered.SerializeToString().hex())
        pairs += 1
        selected += left != b""
    print(f"{pairs} pairs agree, {selected} of them not empty")
    if pairs != expected or selected <= pairs // 2:
        sys.exit(f"expected {expected} pairs, and more than half of them not empty")


main()
