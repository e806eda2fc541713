"""The Pods API as grpcio sees it, on its default `unix:` target.

Run by tests/interop/run, which sets PODSAPI_BIN (the binary under test) and PODSAPI_STUBS (a
folder with the Python stubs that protoc made of proto/protos).
"""

import concurrent.futures
import os
import pathlib
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.environ["PODSAPI_STUBS"])

import grpc  # noqa: E402
from google.protobuf import field_mask_pb2  # noqa: E402
from google.protobuf.descriptor_pool import DescriptorPool  # noqa: E402
from google.rpc import error_details_pb2  # noqa: E402
from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: E402
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (  # noqa: E402
    ProtoReflectionDescriptorDatabase,
)
from grpc_status import rpc_status  # noqa: E402

from documented import pods_pb2 as documented_pb2  # noqa: E402
from podsapi.v1 import diagnostics_pb2  # noqa: E402
from v1alpha1 import pods_pb2 as v1alpha1_pb2  # noqa: E402
from k8s import core_v1_pb2 as core_v1  # noqa: E402

# Longer than anything here takes on a busy machine.
PATIENCE = 60.0
MANIFEST = """\
apiVersion: v1
kind: Pod
metadata:
  name: {name}
  namespace: interop
  uid: {uid}
  labels: {{ step: "{step}" }}
spec:
  containers:
  - name: main
    image: example.test/main:1
"""


class Server:
    """One `podsapi serve`, over a directory of manifests of its own."""

    def __init__(self, *flags, source=None):
        self.folder = tempfile.TemporaryDirectory(prefix="podsapi-")
        self.socket = os.path.join(self.folder.name, "pods.sock")
        self.manifests = pathlib.Path(self.folder.name, "manifests")
        self.manifests.mkdir()
        self.flags = [*(source or ["--manifests", str(self.manifests)]), *flags]
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [os.environ["PODSAPI_BIN"], "serve", "--socket", self.socket, "--node-name", "Node-A"]
            + self.flags,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        check = [os.environ["PODSAPI_BIN"], "check", "--socket", self.socket]
        while subprocess.run(check, capture_output=True).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"no server: exit {self.process.poll()}")
            time.sleep(0.01)

    def kill(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait(PATIENCE)

    def write(self, name, uid, step=0):
        """Writes a manifest as tools do: beside the place, then renamed into it."""
        hidden = self.manifests / f".{name}.tmp"
        hidden.write_text(MANIFEST.format(name=name, uid=uid, step=step))
        hidden.rename(self.manifests / f"{name}.yaml")

    def remove(self, name):
        (self.manifests / f"{name}.yaml").unlink()

    def channel(self, *options):
        return grpc.insecure_channel(
            f"unix:{self.socket}", options=[("grpc.max_reconnect_backoff_ms", 500), *options]
        )

    def close(self):
        if self.process.poll() is None:
            self.kill(signal.SIGTERM)
        self.folder.cleanup()


class Pods:
    """Hand-made stubs: the same shape for both dialects."""

    def __init__(self, channel):
        def unary(path, request, response):
            return channel.unary_unary(
                path,
                request_serializer=request.SerializeToString,
                response_deserializer=response.FromString,
            )

        def stream(path, request, response):
            return channel.unary_stream(
                path,
                request_serializer=request.SerializeToString,
                response_deserializer=response.FromString,
            )

        v, d = v1alpha1_pb2, documented_pb2
        self.list = unary("/v1alpha1.Pods/ListPods", v.ListPodsRequest, v.ListPodsResponse)
        self.get = unary("/v1alpha1.Pods/GetPod", v.GetPodRequest, v.GetPodResponse)
        self.watch = stream("/v1alpha1.Pods/WatchPods", v.WatchPodsRequest, v.WatchPodsEvent)
        self.documented_list = unary("/Pods/ListPods", d.PodListRequest, d.PodListResponse)
        self.documented_get = unary("/Pods/GetPod", d.PodGetRequest, d.PodGetResponse)
        self.documented_watch = stream("/Pods/WatchPods", d.PodWatchRequest, d.PodWatchResponse)
        self.status = unary(
            "/podsapi.v1.Diagnostics/GetStatus",
            diagnostics_pb2.GetStatusRequest,
            diagnostics_pb2.GetStatusResponse,
        )
        self.unknown = unary("/v1alpha1.Pods/Nonsense", v.ListPodsRequest, v.ListPodsResponse)


def pod_of(data):
    return core_v1.Pod.FromString(data)


TEXT = "x-kubernetes-fieldmask"
BIN = "x-kubernetes-fieldmask-bin"


def encoded(*paths):
    return field_mask_pb2.FieldMask(paths=paths).SerializeToString()


def applied(metadata):
    """What the metadata of an answer say of the mask."""
    return [value for key, value in metadata if key == "x-kubernetes-fieldmask-applied"]


def reader(call):
    """Reads a stream on a thread of its own; returns the queue of events, then of the error."""
    events = queue.Queue()

    def read():
        try:
            for event in call:
                events.put(event)
            events.put(None)
        except grpc.RpcError as error:
            events.put(error)

    threading.Thread(target=read, daemon=True).start()
    return events


class Suite(unittest.TestCase):
    def serve(self, *flags, **more):
        server = Server(*flags, **more)
        self.addCleanup(server.close)
        channel = server.channel()
        self.addCleanup(channel.close)
        grpc.channel_ready_future(channel).result(PATIENCE)
        return server, Pods(channel)

    def refused(self, code, call, *arguments, **more):
        with self.assertRaises(grpc.RpcError) as caught:
            call(*arguments, timeout=PATIENCE, **more)
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return caught.exception

    def eventually(self, check):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return check()
            except (AssertionError, grpc.RpcError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def test_list_and_get_in_both_dialects(self):
        server, pods = self.serve("--qps", "0")
        server.write("one", "uid-1")
        server.write("two", "uid-2")

        def both():
            listed = pods.list(v1alpha1_pb2.ListPodsRequest(), timeout=PATIENCE)
            self.assertEqual([pod_of(p).metadata.uid for p in listed.pods], ["uid-1", "uid-2"])

        self.eventually(both)
        got = pods.get(v1alpha1_pb2.GetPodRequest(podUID="uid-2"), timeout=PATIENCE)
        pod = pod_of(got.pod)
        self.assertEqual(pod.metadata.name, "two-node-a")
        self.assertEqual(pod.metadata.namespace, "interop")
        self.assertEqual(pod.spec.nodeName, "node-a")
        self.assertEqual(pod.status.phase, "Pending")
        listed = pods.documented_list(documented_pb2.PodListRequest(), timeout=PATIENCE)
        self.assertEqual([p.metadata.name for p in listed.pods], ["one-node-a", "two-node-a"])
        got = pods.documented_get(documented_pb2.PodGetRequest(podUID="uid-1"), timeout=PATIENCE)
        self.assertEqual(got.pod.metadata.uid, "uid-1")

    def test_an_unknown_uid_is_not_found(self):
        _, pods = self.serve("--qps", "0")
        error = self.eventually(
            lambda: self.refused(
                grpc.StatusCode.NOT_FOUND, pods.get, v1alpha1_pb2.GetPodRequest(podUID="ü%\n")
            )
        )
        self.assertIn("pod with UID", error.details())
        self.assertIn("not found", error.details())
        self.refused(grpc.StatusCode.NOT_FOUND, pods.get, v1alpha1_pb2.GetPodRequest())
        error = self.refused(
            grpc.StatusCode.UNIMPLEMENTED, pods.unknown, v1alpha1_pb2.ListPodsRequest()
        )
        self.assertIn("Nonsense", error.details())

    def test_error_details_say_the_reason(self):
        _, pods = self.serve("--qps", "1", "--burst", "1")
        error = self.eventually(
            lambda: self.refused(
                grpc.StatusCode.RESOURCE_EXHAUSTED, pods.list, v1alpha1_pb2.ListPodsRequest()
            )
        )
        self.assertEqual(error.details(), "rejected by rate limit")
        status = rpc_status.from_call(error)
        self.assertIsNotNone(status)
        self.assertEqual(status.message, error.details())
        reasons = []
        for detail in status.details:
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                reasons.append(info.reason)
            retry = error_details_pb2.RetryInfo()
            if detail.Unpack(retry):
                delay = retry.retry_delay
                self.assertGreater(delay.seconds * 1_000_000_000 + delay.nanos, 0)
                self.assertLessEqual(delay.seconds, 1)
                reasons.append("retry")
        self.assertEqual(reasons, ["RATE_LIMITED", "retry"])

    def test_watch_to_sync_then_a_change_then_a_deletion(self):
        server, pods = self.serve()
        server.write("one", "uid-1")
        self.eventually(
            lambda: pods.get(v1alpha1_pb2.GetPodRequest(podUID="uid-1"), timeout=PATIENCE)
        )
        call = pods.watch(v1alpha1_pb2.WatchPodsRequest())
        call.initial_metadata()
        events = reader(call)
        first = events.get(timeout=PATIENCE)
        self.assertEqual(first.type, v1alpha1_pb2.ADDED)
        self.assertEqual(pod_of(first.pod).metadata.uid, "uid-1")
        marker = events.get(timeout=PATIENCE)
        self.assertEqual(marker.type, v1alpha1_pb2.INITIAL_SYNC_COMPLETE)
        self.assertEqual(marker.pod, b"")
        server.write("one", "uid-1", step=1)
        changed = events.get(timeout=PATIENCE)
        self.assertEqual(changed.type, v1alpha1_pb2.MODIFIED)
        self.assertEqual(pod_of(changed.pod).metadata.labels["step"], "1")
        server.write("two", "uid-2")
        self.assertEqual(events.get(timeout=PATIENCE).type, v1alpha1_pb2.ADDED)
        server.remove("two")
        gone = events.get(timeout=PATIENCE)
        self.assertEqual(gone.type, v1alpha1_pb2.DELETED)
        expected = core_v1.Pod()
        expected.metadata.name = "two-node-a"
        expected.metadata.namespace = "interop"
        expected.metadata.uid = "uid-2"
        self.assertEqual(pod_of(gone.pod), expected)
        call.cancel()
        ended = events.get(timeout=PATIENCE)
        self.assertEqual(ended.code(), grpc.StatusCode.CANCELLED)

        def nobody_watches():
            status = pods.status(diagnostics_pb2.GetStatusRequest(), timeout=PATIENCE)
            self.assertEqual(status.watches, 0)

        self.eventually(nobody_watches)

    def test_the_documented_watch_has_no_marker_and_deletes_by_timestamp(self):
        server, pods = self.serve("--qps", "0")
        server.write("one", "uid-1")
        self.eventually(
            lambda: pods.get(v1alpha1_pb2.GetPodRequest(podUID="uid-1"), timeout=PATIENCE)
        )
        call = pods.documented_watch(documented_pb2.PodWatchRequest())
        events = reader(call)
        self.assertEqual(events.get(timeout=PATIENCE).pod.metadata.uid, "uid-1")
        server.remove("one")
        gone = events.get(timeout=PATIENCE).pod
        self.assertGreater(gone.metadata.deletionTimestamp.seconds, 1_700_000_000)
        self.assertEqual(gone.metadata.deletionGracePeriodSeconds, 0)
        self.assertFalse(gone.HasField("spec") or gone.HasField("status"))
        call.cancel()

    def test_masks_select_fields_however_they_are_sent(self):
        server, pods = self.serve("--qps", "0")
        server.write("one", "uid-1")
        get = v1alpha1_pb2.GetPodRequest(podUID="uid-1")
        self.eventually(lambda: pods.get(get, timeout=PATIENCE))
        expected = core_v1.Pod()
        expected.metadata.uid = "uid-1"
        expected.status.phase = "Pending"
        spellings = [
            [(TEXT, "status.phase,metadata.uid")],
            [(TEXT, "status.phase"), (TEXT, "metadata.uid")],
            [(TEXT, "metadata.uid, status.phase,, metadata.uid")],
            [(BIN, encoded("status.phase", "metadata.uid"))],
            [(BIN, encoded("status.phase")), (BIN, encoded("metadata.uid"))],
            [(BIN, encoded("status.phase")), (TEXT, "metadata.uid"), (TEXT, "")],
        ]
        for metadata in spellings:
            with self.subTest(metadata=metadata):
                for method, request in (
                    (pods.list, v1alpha1_pb2.ListPodsRequest()),
                    (pods.get, get),
                    (pods.documented_list, documented_pb2.PodListRequest()),
                ):
                    reply, call = method.with_call(request, metadata=metadata, timeout=PATIENCE)
                    pod = reply.pod if method is pods.get else reply.pods[0]
                    pod = pod_of(pod) if isinstance(pod, bytes) else pod
                    self.assertEqual(pod.SerializeToString(), expected.SerializeToString())
                    told = applied(call.initial_metadata())
                    self.assertEqual(told, ["metadata.uid,status.phase"])
        for metadata in [], [(TEXT, "")], [(TEXT, " ,")], [(BIN, encoded())]:
            reply, call = pods.get.with_call(get, metadata=metadata, timeout=PATIENCE)
            self.assertEqual(pod_of(reply.pod).spec.containers[0].name, "main")
            self.assertEqual(applied(call.initial_metadata()), [])

    def test_a_bad_mask_is_refused_with_every_bad_path(self):
        _, pods = self.serve("--qps", "0")
        self.eventually(lambda: pods.list(v1alpha1_pb2.ListPodsRequest(), timeout=PATIENCE))
        error = self.refused(
            grpc.StatusCode.INVALID_ARGUMENT,
            pods.list,
            v1alpha1_pb2.ListPodsRequest(),
            metadata=[(TEXT, "status.podIps,metadata.uid,spec..nodeName")],
        )
        self.assertEqual(
            error.details(),
            'x-kubernetes-fieldmask: path 1 "status.podIps": "podIps" (byte 7) is not a field of '
            'PodStatus; names are case-sensitive: did you mean "podIPs"?; '
            'path 3 "spec..nodeName": empty segment at byte 5',
        )
        fields = []
        status = rpc_status.from_call(error)
        self.assertEqual(status.message, error.details())
        for detail in status.details:
            request = error_details_pb2.BadRequest()
            if detail.Unpack(request):
                fields += [violation.field for violation in request.field_violations]
        self.assertEqual(fields, ["status.podIps", "spec..nodeName"])
        self.assertEqual(applied(error.initial_metadata() or ()), [])
        error = self.refused(
            grpc.StatusCode.INVALID_ARGUMENT,
            pods.get,
            v1alpha1_pb2.GetPodRequest(podUID="nobody"),
            metadata=[(BIN, b"\x0a\x7f")],
        )
        self.assertTrue(error.details().startswith(BIN + ": "), error.details())
        many = ",".join(f"status.p{number:03}" for number in range(500))
        call = pods.watch(v1alpha1_pb2.WatchPodsRequest(), metadata=[(TEXT, many)])
        error = self.refused(grpc.StatusCode.INVALID_ARGUMENT, lambda timeout: next(call))
        self.assertIn("more", error.details())
        self.assertIsNotNone(rpc_status.from_call(error))

    def test_a_masked_watch_hears_of_a_pod_when_the_selected_fields_changed(self):
        server, pods = self.serve("--qps", "0")
        server.write("one", "uid-1")
        get = v1alpha1_pb2.GetPodRequest(podUID="uid-1")
        self.eventually(lambda: pods.get(get, timeout=PATIENCE))

        def watch(mask):
            call = pods.watch(v1alpha1_pb2.WatchPodsRequest(), metadata=[(TEXT, mask)])
            self.addCleanup(call.cancel)
            self.assertEqual(applied(call.initial_metadata()), [mask])
            events = reader(call)
            self.assertEqual(events.get(timeout=PATIENCE).type, v1alpha1_pb2.ADDED)
            self.assertEqual(
                events.get(timeout=PATIENCE).type, v1alpha1_pb2.INITIAL_SYNC_COMPLETE
            )
            return events

        steps, uids = watch("metadata.labels.step"), watch("metadata.uid")
        server.write("one", "uid-1", step=1)
        changed = steps.get(timeout=PATIENCE)
        self.assertEqual(changed.type, v1alpha1_pb2.MODIFIED)
        expected = core_v1.Pod()
        expected.metadata.labels["step"] = "1"
        self.assertEqual(pod_of(changed.pod), expected)
        server.write("two", "uid-2")
        added = uids.get(timeout=PATIENCE)
        self.assertEqual(added.type, v1alpha1_pb2.ADDED)
        self.assertEqual(pod_of(added.pod).metadata.uid, "uid-2")
        server.remove("one")
        gone = uids.get(timeout=PATIENCE)
        self.assertEqual(gone.type, v1alpha1_pb2.DELETED)
        expected = core_v1.Pod()
        expected.metadata.name = "one-node-a"
        expected.metadata.namespace = "interop"
        expected.metadata.uid = "uid-1"
        self.assertEqual(pod_of(gone.pod), expected)

    def test_reflection_describes_every_service(self):
        server, _ = self.serve()
        with server.channel() as channel:
            database = ProtoReflectionDescriptorDatabase(channel)
            pool = DescriptorPool(database)
            names = sorted(database.get_services())
            self.assertEqual(
                names,
                [
                    "Pods",
                    "grpc.health.v1.Health",
                    "grpc.reflection.v1.ServerReflection",
                    "grpc.reflection.v1alpha.ServerReflection",
                    "podsapi.v1.Diagnostics",
                    "v1alpha1.Pods",
                ],
            )
            for name in names:
                self.assertTrue(pool.FindServiceByName(name).methods, name)
            # What a file imports has come with it.
            pod = pool.FindServiceByName("Pods").methods_by_name["GetPod"].output_type
            pod = pod.fields_by_name["pod"].message_type
            self.assertEqual(pod.full_name, "k8s.io.api.core.v1.Pod")
            spec = pod.fields_by_name["spec"].message_type
            self.assertEqual(spec.fields_by_name["nodeName"].number, 10)
            with self.assertRaises(KeyError):
                pool.FindMessageTypeByName("no.Such")

    def test_health_is_told_and_watched_to_the_end(self):
        server, _ = self.serve()
        with server.channel() as channel:
            health = health_pb2_grpc.HealthStub(channel)
            asked = health_pb2.HealthCheckRequest
            for service in ["", "Pods", "v1alpha1.Pods", "podsapi.v1.Diagnostics"]:
                told = health.Check(asked(service=service), timeout=PATIENCE)
                self.assertEqual(told.status, health_pb2.HealthCheckResponse.SERVING)
            self.refused(grpc.StatusCode.NOT_FOUND, health.Check, asked(service="nobody"))
            events = reader(health.Watch(asked(service="v1alpha1.Pods")))
            told = events.get(timeout=PATIENCE)
            self.assertEqual(told.status, health_pb2.HealthCheckResponse.SERVING)
            server.process.send_signal(signal.SIGTERM)
            told = events.get(timeout=PATIENCE)
            self.assertEqual(told.status, health_pb2.HealthCheckResponse.NOT_SERVING)
            self.assertEqual(events.get(timeout=PATIENCE).code(), grpc.StatusCode.UNAVAILABLE)

    def test_a_deadline_ends_a_watch(self):
        _, pods = self.serve()
        call = pods.watch(v1alpha1_pb2.WatchPodsRequest(), timeout=0.4)
        with self.assertRaises(grpc.RpcError) as caught:
            for _ in call:
                pass
        self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)

    def test_a_restarted_server_is_found_again_and_replays(self):
        server, pods = self.serve("--qps", "0")
        server.write("one", "uid-1")
        self.eventually(
            lambda: pods.get(v1alpha1_pb2.GetPodRequest(podUID="uid-1"), timeout=PATIENCE)
        )
        events = reader(pods.watch(v1alpha1_pb2.WatchPodsRequest()))
        self.assertEqual(events.get(timeout=PATIENCE).type, v1alpha1_pb2.ADDED)
        self.assertEqual(events.get(timeout=PATIENCE).type, v1alpha1_pb2.INITIAL_SYNC_COMPLETE)
        server.kill()
        ended = events.get(timeout=PATIENCE)
        self.assertEqual(ended.code(), grpc.StatusCode.UNAVAILABLE)
        server.start()

        def again():
            call = pods.watch(v1alpha1_pb2.WatchPodsRequest(), timeout=PATIENCE)
            self.assertEqual(pod_of(next(call).pod).metadata.uid, "uid-1")
            call.cancel()

        self.eventually(again)

    def test_a_stopping_server_ends_watches_with_unavailable(self):
        server, pods = self.serve()
        events = reader(pods.watch(v1alpha1_pb2.WatchPodsRequest()))
        self.assertEqual(events.get(timeout=PATIENCE).type, v1alpha1_pb2.INITIAL_SYNC_COMPLETE)
        server.process.send_signal(signal.SIGTERM)
        ended = events.get(timeout=PATIENCE)
        self.assertEqual(ended.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertEqual(server.process.wait(PATIENCE), 0)
        self.assertFalse(os.path.exists(server.socket))

    def test_six_hundred_concurrent_calls_all_succeed(self):
        _, pods = self.serve("--qps", "0", source=["--simulate", "50:0:7"])
        self.eventually(lambda: pods.list(v1alpha1_pb2.ListPodsRequest(), timeout=PATIENCE))
        calls = [
            pods.list.future(v1alpha1_pb2.ListPodsRequest(), timeout=4 * PATIENCE)
            for _ in range(600)
        ]
        done, _ = concurrent.futures.wait(
            [concurrent.futures.ThreadPoolExecutor(1).submit(c.result) for c in calls],
            timeout=4 * PATIENCE,
        )
        self.assertEqual({len(call.result().pods) for call in done}, {50})
        self.assertEqual(len(done), 600)

    def test_requests_in_gzip_are_taken_and_answered_in_plain(self):
        server, pods = self.serve("--qps", "0")
        server.write("one", "uid-1")
        gzip = {"compression": grpc.Compression.Gzip}
        get, many = v1alpha1_pb2.GetPodRequest, "u" * 10_000
        self.eventually(lambda: pods.get(get(podUID="uid-1"), timeout=PATIENCE, **gzip))
        error = self.refused(grpc.StatusCode.NOT_FOUND, pods.get, get(podUID=many), **gzip)
        self.assertIn("uuuu", error.details())
        listed, call = pods.list.with_call(v1alpha1_pb2.ListPodsRequest(), timeout=PATIENCE, **gzip)
        self.assertEqual(len(listed.pods), 1)
        self.assertNotIn("grpc-encoding", [key for key, _ in call.initial_metadata()])
        events = reader(pods.watch(v1alpha1_pb2.WatchPodsRequest(), **gzip))
        self.assertEqual(events.get(timeout=PATIENCE).type, v1alpha1_pb2.ADDED)
        # What is refused compressed is refused for what it is, not for how it came.
        large = get(podUID="u" * 100_000)
        self.refused(grpc.StatusCode.RESOURCE_EXHAUSTED, pods.get, large, **gzip)

    def test_headers_that_are_too_large_cost_their_call_alone(self):
        server, pods = self.serve("--qps", "0")
        events = reader(pods.watch(v1alpha1_pb2.WatchPodsRequest()))
        self.assertEqual(events.get(timeout=PATIENCE).type, v1alpha1_pb2.INITIAL_SYNC_COMPLETE)
        for size in [17_000, 40_000, 48_000, 120_000]:
            error = self.refused(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                pods.list,
                v1alpha1_pb2.ListPodsRequest(),
                metadata=[("x-much", "a" * size)],
            )
            self.assertIn("16384", error.details())
        server.write("one", "uid-1")
        self.assertEqual(events.get(timeout=PATIENCE).type, v1alpha1_pb2.ADDED)

    def test_two_hundred_watches_leave_room_for_other_calls(self):
        server, pods = self.serve("--qps", "0")
        # Channels with the same options share a connection, unless they are told not to.
        alone = server.channel(("grpc.use_local_subchannel_pool", 1))
        self.addCleanup(alone.close)
        watches = [pods.watch(v1alpha1_pb2.WatchPodsRequest()) for _ in range(200)]
        for watch in watches:
            self.assertEqual(next(watch).type, v1alpha1_pb2.INITIAL_SYNC_COMPLETE)
        for _ in range(3):
            pods.list(v1alpha1_pb2.ListPodsRequest(), timeout=PATIENCE)
            pods.status(diagnostics_pb2.GetStatusRequest(), timeout=PATIENCE)
        with self.assertRaises(grpc.RpcError) as caught:
            next(pods.watch(v1alpha1_pb2.WatchPodsRequest(), timeout=PATIENCE))
        self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertIn("200 watches", caught.exception.details())
        # Another connection may have as many.
        other = Pods(alone).watch(v1alpha1_pb2.WatchPodsRequest(), timeout=PATIENCE)
        self.assertEqual(next(other).type, v1alpha1_pb2.INITIAL_SYNC_COMPLETE)
        watches.pop().cancel()

        def again():
            call = pods.watch(v1alpha1_pb2.WatchPodsRequest(), timeout=PATIENCE)
            self.assertEqual(next(call).type, v1alpha1_pb2.INITIAL_SYNC_COMPLETE)
            call.cancel()

        self.eventually(again)


@unittest.skipUnless(os.environ.get("PODSAPI_SLOW"), "slow consumers are tried by hand: PODSAPI_SLOW=1")
class SlowConsumer(unittest.TestCase):
    """Readers of a watch that take a while for each event, of a node that does not stand still.

    The windows are small, so that what is not read waits at the server and not in this process.
    """

    WINDOWS = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 16384))

    def consume(self, mode, node, pause, seconds):
        """Returns the events as types and UIDs, when the marker came, and how the stream ended."""
        server = Server("--slow-watch", mode, "--qps", "0", source=["--simulate", node])
        try:
            with server.channel(*self.WINDOWS) as channel:
                watch = channel.unary_stream(
                    "/v1alpha1.Pods/WatchPods",
                    request_serializer=v1alpha1_pb2.WatchPodsRequest.SerializeToString,
                    response_deserializer=v1alpha1_pb2.WatchPodsEvent.FromString,
                )(v1alpha1_pb2.WatchPodsRequest())
                began, synced, events, end = time.monotonic(), None, [], None
                try:
                    for event in watch:
                        pod = core_v1.Pod.FromString(event.pod)
                        events.append((event.type, pod.metadata.uid))
                        if event.type == v1alpha1_pb2.INITIAL_SYNC_COMPLETE:
                            synced = time.monotonic() - began
                        if time.monotonic() - began > seconds:
                            break
                        time.sleep(pause)
                except grpc.RpcError as error:
                    end = error
                watch.cancel()
                print(f"slow consumer, {mode}, {node}, {pause} s an event: synced after {synced} s, "
                      f"{len(events)} events, ended by {end and (end.code(), end.details())}", file=sys.stderr)
                return events, synced, end
        finally:
            server.close()

    def check(self, events, pods):
        """Each pod is added once before it changes and goes; the first list comes before the marker."""
        added, changed, deleted, marker = 1, 2, 3, 4
        self.assertEqual([kind for kind, _ in events[: pods + 1]], [added] * pods + [marker])
        known = set()
        for kind, uid in events:
            if kind == added:
                self.assertNotIn(uid, known)
                known.add(uid)
            elif kind == changed:
                self.assertIn(uid, known)
            elif kind == deleted:
                known.remove(uid)

    def test_a_reader_that_is_slower_than_the_list_and_faster_than_the_changes_is_synced_and_stays(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            both = pool.map(lambda mode: self.consume(mode, "250:10", 0.05, 40), ["end", "coalesce"])
            for events, synced, end in both:
                self.assertIsNone(end)
                self.assertIsNotNone(synced)
                self.check(events, 250)

    def test_a_reader_that_is_slower_than_the_changes_ends_or_has_the_newest_states(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            both = pool.map(lambda mode: self.consume(mode, "40:20", 0.2, 75), ["end", "coalesce"])
            (events, _, end), (newest, _, stays) = both
            self.check(events, 40)
            self.check(newest, 40)
            self.assertEqual(end.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
            self.assertIn("watch again", end.details())
            self.assertIsNone(stays)


if __name__ == "__main__":
    unittest.main(verbosity=2)
