#!/usr/bin/env python3
"""Writes the hand-made seeds of the corpora; run it inside fuzz/."""

import hashlib
import pathlib


def write(target, name, data):
    folder = pathlib.Path("corpus") / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


seed = write


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
    # Behind a field an authority thrice and the method again, which is malformed; then one that is cut.
    cut = start + b"\x93\x81\x81\x81\x82\x00\x01a\x05xy"
    seed("authority", "malformed_before_a_cut_field", frame(4, 0, 0, b"") + frame(1, 1, 1, cut) + frame(9, 4, 1, b"zzz"))
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


def differs():
    for number in range(12):
        decisions = b"".join(hashlib.sha256(bytes([number, part, 1])).digest() for part in range(2 + 2 * number))
        seed("differs", f"drawn_{number}", decisions)


def field(number, payload):
    return bytes([number << 3 | 2, len(payload)]) + payload


def pod():
    metadata = field(1, b"web-0") + field(3, b"default") + field(5, b"uid-0")
    metadata += field(11, field(1, b"app") + field(2, b"web"))
    container = field(1, b"main") + field(2, b"example/web:1") + field(7, field(1, b"A") + field(2, b"1"))
    status = field(1, b"Running") + field(2, field(1, b"Ready") + field(2, b"True"))
    return field(1, metadata) + field(2, field(2, container) + field(10, b"node-1")) + field(3, status)


def encoded_pod():
    seed("encoded_pod", "pod", pod())
    seed("encoded_pod", "status_only", field(1, b"Running"))
    seed("encoded_pod", "identity", field(1, field(5, b"u")))
    seed("encoded_pod", "unknown_fields", pod() + b"\x7a\x03abc\xa8\x06\x01")
    seed("encoded_pod", "twice", pod() + field(1, field(5, b"other")))
    seed("encoded_pod", "group", pod() + b"\xfb\x01\x08\x01\xfc\x01")
    seed("encoded_pod", "group_with_text", pod() + b"\xfb\x01" + field(1, b"text") + b"\xfc\x01")
    seed("encoded_pod", "out_of_order", pod() + field(1, field(1, b"web-1")))
    # securityContext.supplementalGroups, and the same one by one.
    seed("encoded_pod", "packed", pod() + field(2, field(14, field(4, b"\x01\x80\x02\x03") + b"\x20\x04")))
    seed("encoded_pod", "packed_badly", pod() + field(2, field(14, field(4, b"\x01\x80"))))
    seed("encoded_pod", "not_utf8", pod() + field(2, field(10, b"\xc3(")))
    cut = field(3, field(3, b"cut \xe2\x82")) + field(1, field(12, field(1, b"k\xff") + field(2, b"\xed\xa0\x80")))
    seed("encoded_pod", "message_cut_in_a_character", pod() + cut)
    seed("encoded_pod", "identity_not_utf8", field(1, field(5, b"\xc3(")))
    for levels in [97, 98, 99, 100]:
        for inner in [b"", b"\x08\x01"]:
            name = f"groups_{levels}{'_around_a_number' if inner else ''}"
            seed("encoded_pod", name, pod() + b"\xfb\x3e" * levels + inner + b"\xfc\x3e" * levels)


def wire():
    uid = field(1, b"uid-1")
    seed("wire", "uid", uid)
    seed("wire", "twice", field(1, b"x") + uid)
    seed("wire", "not_utf8", field(1, b"\xc3("))
    seed("wire", "field_0", b"\x00\x00")
    seed("wire", "fixed", b"yabcdefgh}abcd")
    seed("wire", "group", b"{\x08\x01|" + field(1, b"u"))
    seed("wire", "group_in_group", b"{st|")
    seed("wire", "groups_crossed", b"{s|t" + uid)
    seed("wire", "group_unended", uid + b"{")
    seed("wire", "group_end_alone", uid + b"|")
    seed("wire", "long_length", b"\x0a" + b"\xff" * 9 + b"\x01")
    seed("wire", "ten_byte_varint", b"x" + b"\xff" * 9 + b"\x01")
    seed("wire", "overlong_varint", b"x" + b"\xff" * 9 + b"\x02")
    seed("wire", "long_tag", b"\x8a\x80\x80\x80\x00\x01u")
    seed("wire", "largest_field", b"\xfa\xff\xff\xff\x0f\x01u" + uid)
    seed("wire", "wire_type_6", b"~\x00")
    seed("wire", "uid_as_number", b"\x08\x01")
    for levels in [99, 100, 101]:
        for inner in [b"", b"\x08\x01"]:
            name = f"groups_{levels}{'_around_a_number' if inner else ''}"
            seed("wire", name, b"{" * levels + inner + b"|" * levels + uid)


def frame_target():
    seed("frame", "one", b"\x02\x08\0\0\0\0\x03abc")
    seed("frame", "two", b"\x00\x08\0\0\0\0\x01a\0\0\0\0\0")
    seed("frame", "as_large_as_may_be", b"\x00\x01\0\0\0\0\x04abcd\0\0\0\0\x05abcde")
    seed("frame", "flag", b"\x00\x08\x01\0\0\0\x01a")
    seed("frame", "large", b"\x00\x01\0\xff\xff\xff\xff")
    seed("frame", "cut", b"\x00\x08\0\0\0")


def request():
    seed("request", "good", b"POST\n/v1alpha1.Pods/ListPods\ncontent-type:application/grpc\ngrpc-timeout:3S")
    seed("request", "curl", b"GET\n/\naccept:*/*")
    seed("request", "encoding", b"POST\n/Pods/GetPod\ncontent-type:application/grpc+proto\ngrpc-encoding:gzip")
    seed("request", "timeout", b"POST\n/Pods/GetPod\ncontent-type:application/grpc\ngrpc-timeout:99999999H")
    seed("request", "odd", b"POST\n/a%/\xff\x00b\ngrpc-timeout:1.5S")
    grpc = b"POST\n/Pods/ListPods\ncontent-type:Application/GRPC+proto; x\n"
    for unit in b"HMSmunx":
        seed("request", f"timeout_{unit:c}", grpc + b"grpc-timeout:00000007" + bytes([unit]))
    seed("request", "timeout_bare", grpc + b"grpc-timeout:S\ngrpc-timeout:1S")
    seed("request", "timeout_long", grpc + b"grpc-timeout:123456789n")
    seed("request", "encodings", grpc + b"grpc-encoding:identity\ngrpc-encoding:deflate\ngrpc-timeout:x")
    seed("request", "mask", grpc + b"x-kubernetes-fieldmask:status.phase, metadata.uid\nx-kubernetes-fieldmask:,")
    names = b"CgxzdGF0dXMucGhhc2U=,CgxtZXRhZGF0YS51aWQ , CgE"
    seed("request", "mask_encoded", grpc + b"x-kubernetes-fieldmask-bin:" + names)
    seed("request", "mask_padded_badly", grpc + b"x-kubernetes-fieldmask-bin:CgFhYQ=,====,A,Y_-_,CgF=")
    seed("request", "health", b"POST\n/grpc.health.v1.Health/List\ncontent-type:application/grpc\nx-kubernetes-fieldmask:(")
    seed("request", "reflection", b"POST\n/grpc.reflection.v1.ServerReflection/ServerReflectionInfo\n"
         b"content-type:application/grpc")


def json():
    seed("json", "pod", b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"u"},'
         b'"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"100m"}}}]}}')
    seed("json", "times", b'{"metadata":{"creationTimestamp":"2024-02-29T12:00:00Z","deletionTimestamp":null}}')
    seed("json", "numbers", b'{"spec":{"priority":-1,"terminationGracePeriodSeconds":1e2},"x":1.50}')
    seed("json", "negative_zero", b'{"spec":{"priority":-0e2},"x":1.50}')
    seed("json", "dots", b'"..."')
    seed("json", "escapes", b'["\\u00e9\\ud83d\\ude00\\n", true, null, {}]')
    seed("json", "surrogates", b'{"metadata":{"name":"\\ud800\\udc00\\ud800\\u0041\\udc00","uid":"\\uD800\\n"}}')
    seed("json", "not_utf8", b'{"metadata":{"name":"a\xff\xe2\x82","annotations":{"\xc3":"\xed\xa0\x80"}}}')
    seed("json", "encoded", pod())


def yaml():
    seed("yaml", "pod", b"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: c\n    command: [sh, -c]\n")
    seed("yaml", "documents", b"a: 1\n---\n- 'x'\n- |\n  text\n  more\n...\n")
    seed("yaml", "alias", b"a: &x {b: 1}\nc: *x\n")
    seed("yaml", "scalars", b"[~, yes, 0x1f, 1e3, .inf, 2024-01-01, \"q\\n\", 'o']\n")


def service():
    start = b"\x00\x02\x03\x02"
    ready = b"".join(bytes([8, source, source, 0x82]) for source in range(3))
    watch = b"\x0b\x00\x00\x00" + b"\x0b\x01\x00\x00"
    changes = b"\x01\x00\x01\x01\x01\x01\x02\x85\x05\x00\x01\x00\x04\x02\x01\x07"
    reads = b"\x0c\x00\x07\x00\x0c\x01\x07\x00"
    seed("service", "watches", start + ready + watch + reads + changes * 2 + reads)
    seed("service", "calls", start + b"\x09\x00\x00\x00" + ready + b"\x09\x00\x00\x00\x0a\x01\x02\x00")
    seed("service", "slow", b"\x01\x00\x00\x00" + ready + watch + changes * 4 + reads)
    wrong = b"\x09\xf4\x00\x00\x0a\xfb\x02\x00\x0b\xf8\x00\x00\x0b\xfe\x00\x00"
    seed("service", "wrong_masks", start + wrong + ready + wrong + watch + wrong + changes + reads)
    seed("service", "stop", start + ready + watch + b"\x0f\x00\x00\xff" + reads)


def sized(field_number, payload):
    """A field of any length."""
    length, value = b"", len(payload)
    while value >= 0x80:
        length, value = length + bytes([value & 0x7F | 0x80]), value >> 7
    return bytes([field_number << 3 | 2]) + length + bytes([value]) + payload


def envelope(kind, payload):
    meta = field(1, b"v1") + field(2, kind)
    return b"k8s\0" + field(1, meta) + sized(2, payload) + b"\x1a\0\x22\0"


def node_pod(name, version, rest=b""):
    metadata = field(1, name) + field(3, b"ns") + field(5, b"uid-" + name) + field(6, version)
    return sized(1, metadata) + field(2, field(10, b"node-1")) + rest


def pod_list(version, token, *pods):
    metadata = field(2, version) + (sized(3, token) if token else b"")
    return envelope(b"PodList", sized(1, metadata) + b"".join(sized(2, pod) for pod in pods))


def watch_event(kind, payload):
    event = envelope(b"WatchEvent", field(1, kind) + sized(2, sized(1, payload)))
    return len(event).to_bytes(4, "big") + event


def listwatch():
    def answer(kind, body=b"", head=0):
        return bytes([kind, head]) + len(body).to_bytes(2, "big") + body

    def seed(name, data, cut=1, limit=0):
        write("listwatch", name, bytes([cut, limit]) + data)

    status = envelope(b"Status", field(3, b"too old") + field(4, b"Expired") + b"\x30\x9a\x03")
    a, b = node_pod(b"a", b"1"), node_pod(b"b", b"2")
    listed = answer(0, pod_list(b"10", b"", a, b))
    changed = watch_event(b"MODIFIED", envelope(b"Pod", node_pod(b"a", b"11", field(3, field(1, b"Running")))))
    deleted = watch_event(b"DELETED", envelope(b"Pod", node_pod(b"b", b"12")))
    marked = watch_event(b"BOOKMARK", envelope(b"Pod", field(1, field(6, b"20"))))
    expired = watch_event(b"ERROR", status)
    broken = watch_event(b"ADDED", envelope(b"Pod", node_pod(b"c", b"13", b"\x1a\x7f")))
    moved = watch_event(b"MODIFIED", envelope(b"Pod", a.replace(b"node-1", b"node-2")))
    seed("watched", listed + answer(0, changed + broken + deleted + marked))
    seed("expired", listed + answer(0, changed + expired) + answer(3, status) + listed)
    seed("pages", answer(0, pod_list(b"10", b"t", a)) + answer(0, pod_list(b"10", b"", b)))
    seed("page_expired", answer(0, pod_list(b"10", b"t", a)) + answer(3, status) + listed)
    seed("lost", listed + answer(16, moved + changed[:30]) + answer(5) + answer(0, changed))
    seed("deleted_whom", listed + answer(0, watch_event(b"DELETED", b"k8s\0")) + listed)
    item = (b'{"metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"3"},"spec":{"nodeName":"node-1"}}')
    text = b'{"kind":"PodList","metadata":{"resourceVersion":"9"},"items":[' + item + b"]}"
    lines = b'{"type":"DELETED","object":' + item + b'}\n{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}\n'
    gone = b'{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Gone","message":"old"}}\n'
    seed("json", answer(4) + answer(8, text) + answer(8, lines + gone) + answer(8, text))
    refused = b'{"kind":"Status","code":429,"message":"busy","details":{"retryAfterSeconds":5}}'
    seed("refused", answer(0x0D, refused) + answer(7, b"<html>") + answer(6, status))

    # A body in which 0xfe and a number stand for so many KiB; what is around it has that length.
    def stretch(pod, kib, wrap):
        filler = b"\xfe" * (kib << 10)
        before, after = wrap(pod + sized(3, sized(3, filler))).split(filler)
        assert b"\xfe" not in before + after
        return before + b"\xfe" + bytes([kib]) + after

    page = stretch(node_pod(b"c", b"3"), 20, lambda pod: pod_list(b"10", b"", a, pod, b))
    huge = stretch(node_pod(b"c", b"3"), 80, lambda pod: pod_list(b"10", b"", a, pod, b))
    token = stretch(b"", 70, lambda pod: pod_list(b"10", pod, a))
    for name, body in [("large", page), ("huge", huge), ("long_token", token)]:
        for limit in range(4):
            seed(f"{name}_in_{limit}", answer(0x40, body) + listed, limit=limit)
    for limit in range(4):
        event = stretch(a, 90, lambda pod: changed + watch_event(b"MODIFIED", envelope(b"Pod", pod)) + deleted)
        seed(f"large_event_in_{limit}", listed + answer(0x40, event), limit=limit)
    claimed = b"k8s\0\x12\xff\xff\xff\xff\x07\x12\xff\xff\xff\xff\x03abc"
    seed("claims_much", answer(0, claimed) + listed + answer(0, b"\x7f\xff\xff\xff\x0aabc"), limit=1)
    seed("busy", answer(5, b"", 7) + answer(6, b"busy", 8) + listed + answer(0x25, b"", 9) + answer(5, b"", 14))
    seed("busy_for_ever", answer(5, b"", 10) + answer(6, refused, 11) + answer(0x2D, refused, 6) + answer(3, status, 8))
    seed("announced_oddly", answer(0, head=0x60) + answer(0, head=0x70) + answer(8, text, 0x50) + answer(8, lines, 0x60))


def cri():
    def pieces(*bodies):
        return b"".join(len(body).to_bytes(2, "big") + body for body in bodies)

    def view(sandboxes, containers, *statuses, what=0):
        return bytes([what, len(statuses)]) + pieces(sandboxes, containers, *statuses)

    names = field(1, b"web") + field(2, b"uid-0") + field(3, b"ns")
    source = field(1, b"kubernetes.io/config.source") + field(2, b"file")
    network = field(5, field(1, b"10.0.0.7"))

    def sandbox(name, rest=b""):
        return field(1, field(1, name) + field(2, names) + b"\x20\x05" + rest)

    def container(name, state, within=b"s1"):
        return field(1, field(1, name) + field(2, within) + field(3, field(1, b"main")) + b"\x30" + bytes([state]))

    def told(name, rest):
        return field(1, field(1, name) + field(2, field(1, b"main")) + rest)

    sandboxes, containers = sandbox(b"s1"), container(b"c1", 1)
    stopped = field(1, field(1, b"s1") + field(2, names) + b"\x18\x01\x20\x05")
    static = sandbox(b"s1", field(7, source))
    sandbox_status = sandbox(b"s1", network)
    running = told(b"c1", b"\x18\x01\x20\x05\x28\x06")
    ended = told(b"c1", b"\x18\x02\x30\x09\x38\xff\x01")
    first = view(sandboxes, containers, sandbox_status, running)
    lost, same = b"\x0b\x00", b"\x0c\x00"
    seed("cri", "running", first)
    seed("cri", "ended", view(sandboxes, containers, sandbox_status, ended))
    not_utf8 = told(b"c1", b"\x18\x02\x30\x09\x38\x01" + field(11, b"cut \xe2\x82") + field(12, field(1, b"\xff") + field(2, b"\xfe")))
    seed("cri", "not_utf8", view(sandbox(b"s1", field(6, field(1, b"l") + field(2, b"\xc3"))), containers, sandbox_status, not_utf8))
    seed("cri", "untold", view(sandboxes * 2, containers, b"\xff", running))
    seed("cri", "mistaken", view(sandboxes, containers, running, sandbox_status))
    seed("cri", "cut", view(sandboxes[:-1], containers))
    seed("cri", "twice", view(sandboxes, containers, sandbox_status, running, what=0x80) + first)
    restarted = container(b"c1", 2) + container(b"c2", 1)
    again = view(sandboxes, restarted, ended, told(b"c2", b"\x18\x01\x20\x07\x28\x08"), what=0x28)
    seed("cri", "restarted", first + again + view(sandboxes, container(b"c2", 2), what=0x20))
    seed("cri", "lost", first + lost + b"\x06\x01\x05\x01" + again + same)
    seed("cri", "lost_with_all", first + lost + view(b"", b"", what=8) + same)
    seed("cri", "lost_first", lost + b"\x0f\x02" + same + first)
    new_sandbox = sandboxes + sandbox(b"s2", network)
    moved = view(new_sandbox, container(b"c1", 2) + container(b"c3", 0, b"s2"), network, ended, what=0x90)
    seed("cri", "new_sandbox", first + view(stopped, container(b"c1", 2), what=8) + moved)
    owners = b"\x05\x01\x06\x00\x05\x10\x05\x21\x05\x41\x0f\x01\x05\x01\x0f\x05\x0f\x03\x07\x0e"
    seed("cri", "owners", first + owners + first + same)
    seed("cri", "static", view(static, containers, static, running) + owners + lost + owners + view(static, b""))


for target in [authority, cri, differs, encoded_pod, frame_target, json, listwatch, mask, project, request, service, wire, yaml]:
    target()
