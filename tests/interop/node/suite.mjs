// The Pods API as @grpc/grpc-js sees it, on its default `unix:` target.
//
// Run by tests/interop/run, which sets PODSAPI_BIN (the binary under test) and PODSAPI_PROTOS.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

// Longer than anything here takes on a busy machine.
const PATIENCE = 60_000;
const options = { keepCase: true, longs: Number, enums: String, defaults: true };
const load = (file) =>
  grpc.loadPackageDefinition(
    protoLoader.loadSync(file, { ...options, includeDirs: [process.env.PODSAPI_PROTOS] }),
  );
const released = load('v1alpha1/pods.proto').v1alpha1;
const documented = load('documented/pods.proto');
/** Decodes pod bytes with the message definition that the documented dialect carries. */
const decode = (() => {
  const list = documented.Pods.service.ListPods;
  return (bytes) => {
    const length = [];
    for (let n = bytes.length; ; n >>>= 7) {
      if (n < 128) {
        length.push(n);
        break;
      }
      length.push((n & 127) | 128);
    }
    return list.responseDeserialize(Buffer.concat([Buffer.from([10, ...length]), bytes])).pods[0];
  };
})();

const manifest = (name, uid, step) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: interop, uid: ${uid}, labels: {step: "${step}"}}
spec: {containers: [{name: main, image: "example.test/main:1"}]}
`;

class Server {
  constructor(...flags) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'podsapi-'));
    this.socket = path.join(this.folder, 'pods.sock');
    this.manifests = path.join(this.folder, 'manifests');
    fs.mkdirSync(this.manifests);
    this.flags = flags.some((flag) => flag === '--simulate')
      ? flags
      : ['--manifests', this.manifests, ...flags];
  }

  async start() {
    const flags = ['serve', '--socket', this.socket, '--node-name', 'Node-A', ...this.flags];
    this.process = spawn(process.env.PODSAPI_BIN, flags, { stdio: 'ignore' });
    this.exit = once(this.process, 'exit');
    const ready = () =>
      spawnSync(process.env.PODSAPI_BIN, ['check', '--socket', this.socket]).status === 0;
    for (let waited = 0; !ready(); waited += 10) {
      assert.ok(waited < PATIENCE && this.process.exitCode === null, 'the server did not start');
      await pause(10);
    }
    return this;
  }

  write(name, uid, step = 0) {
    const hidden = path.join(this.manifests, `.${name}.tmp`);
    fs.writeFileSync(hidden, manifest(name, uid, step));
    fs.renameSync(hidden, path.join(this.manifests, `${name}.yaml`));
  }

  async kill(how) {
    this.process.kill(how);
    return (await this.exit)[0];
  }
}

async function serve(t, ...flags) {
  const server = await new Server(...flags).start();
  const target = `unix:${server.socket}`;
  const reconnect = { 'grpc.max_reconnect_backoff_ms': 500 };
  const pods = new released.Pods(target, grpc.credentials.createInsecure(), reconnect);
  const documentedPods = new documented.Pods(target, grpc.credentials.createInsecure(), reconnect);
  t.after(async () => {
    pods.close();
    documentedPods.close();
    if (server.process.exitCode === null && server.process.signalCode === null) {
      await server.kill('SIGTERM');
    }
    fs.rmSync(server.folder, { recursive: true });
  });
  return { server, pods, documentedPods };
}

const call = (client, method, request, patience = PATIENCE) =>
  new Promise((resolve, reject) => {
    const deadline = new Date(Date.now() + patience);
    client[method](request, { deadline }, (error, reply) => (error ? reject(error) : resolve(reply)));
  });

async function eventually(check) {
  for (let waited = 0; ; waited += 20) {
    try {
      return await check();
    } catch (error) {
      if (waited > PATIENCE) throw error;
      await pause(20);
    }
  }
}

async function refused(code, attempt) {
  let failure;
  try {
    await attempt;
  } catch (error) {
    failure = error;
  }
  assert.equal(failure?.code, code, failure?.details);
  return failure;
}

/** Events of a stream, one at a time; the error that ends it comes as the last. */
class Reader {
  constructor(stream) {
    this.stream = stream;
    this.seen = [];
    this.waiting = [];
    const put = (item) => {
      const next = this.waiting.shift();
      if (next) next(item);
      else this.seen.push(item);
    };
    stream.on('data', put);
    stream.on('error', put);
    stream.on('end', () => put(undefined));
  }

  async next() {
    if (this.seen.length > 0) return this.seen.shift();
    const late = pause(PATIENCE, undefined, { ref: false }).then(() => {
      throw new Error('no event in time');
    });
    return Promise.race([new Promise((resolve) => this.waiting.push(resolve)), late]);
  }
}

test('list and get in both dialects', async (t) => {
  const { server, pods, documentedPods } = await serve(t, '--qps', '0');
  server.write('one', 'uid-1');
  server.write('two', 'uid-2');
  await eventually(async () => {
    const { pods: listed } = await call(pods, 'ListPods', {});
    assert.deepEqual(listed.map((pod) => decode(pod).metadata.uid), ['uid-1', 'uid-2']);
  });
  const got = decode((await call(pods, 'GetPod', { podUID: 'uid-2' })).pod);
  assert.equal(got.metadata.name, 'two-node-a');
  assert.equal(got.spec.nodeName, 'node-a');
  const list = await call(documentedPods, 'ListPods', {});
  assert.deepEqual(list.pods.map((pod) => pod.metadata.name), ['one-node-a', 'two-node-a']);
  const one = await call(documentedPods, 'GetPod', { podUID: 'uid-1' });
  assert.equal(one.pod.metadata.uid, 'uid-1');
});

test('an unknown UID is not found, and its text arrives whole', async (t) => {
  const { pods } = await serve(t, '--qps', '0');
  const error = await eventually(() =>
    refused(grpc.status.NOT_FOUND, call(pods, 'GetPod', { podUID: 'a#b?c/d:e' })),
  );
  assert.equal(error.details, 'pod with UID a#b?c/d:e not found');
});

test('error details say the reason', async (t) => {
  const { pods } = await serve(t, '--qps', '1', '--burst', '1');
  const error = await eventually(() =>
    refused(grpc.status.RESOURCE_EXHAUSTED, call(pods, 'ListPods', {})),
  );
  assert.equal(error.details, 'rejected by rate limit');
  const [details] = error.metadata.get('grpc-status-details-bin');
  assert.ok(details.includes('type.googleapis.com/google.rpc.ErrorInfo'));
  assert.ok(details.includes('RATE_LIMITED'));
});

test('watch to sync, a change, cancel', async (t) => {
  const { server, pods } = await serve(t, '--qps', '0');
  server.write('one', 'uid-1');
  await eventually(() => call(pods, 'GetPod', { podUID: 'uid-1' }));
  const events = new Reader(pods.WatchPods({}));
  const first = await events.next();
  assert.equal(first.type, 'ADDED');
  assert.equal(decode(first.pod).metadata.uid, 'uid-1');
  assert.equal((await events.next()).type, 'INITIAL_SYNC_COMPLETE');
  server.write('one', 'uid-1', 1);
  const changed = await events.next();
  assert.equal(changed.type, 'MODIFIED');
  fs.unlinkSync(path.join(server.manifests, 'one.yaml'));
  const gone = await events.next();
  assert.equal(gone.type, 'DELETED');
  assert.equal(decode(gone.pod).metadata.uid, 'uid-1');
  events.stream.cancel();
  assert.equal((await events.next()).code, grpc.status.CANCELLED);
});

const TEXT = 'x-kubernetes-fieldmask';
const BIN = 'x-kubernetes-fieldmask-bin';
const APPLIED = 'x-kubernetes-fieldmask-applied';

/** Returns a google.protobuf.FieldMask with these paths, encoded. */
const encoded = (...paths) =>
  Buffer.concat(paths.flatMap((text) => [Buffer.from([10, text.length]), Buffer.from(text)]));

function metadataOf(lines) {
  const metadata = new grpc.Metadata();
  for (const [name, value] of lines) metadata.add(name, value);
  return metadata;
}

/** Makes a call with these lines of metadata; returns the reply and what it says of the mask. */
const masked = (client, method, request, lines) =>
  new Promise((resolve, reject) => {
    const deadline = new Date(Date.now() + PATIENCE);
    let told;
    client[method](request, metadataOf(lines), { deadline }, (error, reply) =>
      error ? reject(error) : resolve({ reply, told }),
    ).on('metadata', (metadata) => {
      told = metadata.get(APPLIED);
    });
  });

/** The paths of all values that a pod has. */
const leaves = (value, prefix = '') =>
  Object.entries(value ?? {}).flatMap(([name, inner]) => {
    const empty = inner === null || inner === '' || inner === 0 || inner === false || inner === undefined;
    if (empty || (typeof inner === 'object' && Object.keys(inner).length === 0)) return [];
    return typeof inner === 'object' ? leaves(inner, `${prefix}${name}.`) : [prefix + name];
  });

test('masks select fields however they are sent', async (t) => {
  const { server, pods, documentedPods } = await serve(t, '--qps', '0');
  server.write('one', 'uid-1');
  await eventually(() => call(pods, 'GetPod', { podUID: 'uid-1' }));
  const spellings = [
    [[TEXT, 'status.phase,metadata.uid']],
    [[TEXT, 'status.phase'], [TEXT, 'metadata.uid']],
    [[TEXT, 'metadata.uid, status.phase,, metadata.uid']],
    [[BIN, encoded('status.phase', 'metadata.uid')]],
    [[BIN, encoded('status.phase')], [BIN, encoded('metadata.uid')]],
    [[BIN, encoded('status.phase')], [TEXT, 'metadata.uid']],
  ];
  for (const lines of spellings) {
    const list = await masked(pods, 'ListPods', {}, lines);
    const get = await masked(pods, 'GetPod', { podUID: 'uid-1' }, lines);
    const other = await masked(documentedPods, 'GetPod', { podUID: 'uid-1' }, lines);
    for (const pod of [decode(list.reply.pods[0]), decode(get.reply.pod), other.reply.pod]) {
      assert.deepEqual(leaves(pod), ['metadata.uid', 'status.phase'], String(lines));
      assert.equal(pod.metadata.uid, 'uid-1');
      assert.equal(pod.status.phase, 'Pending');
    }
    for (const { told } of [list, get, other]) {
      assert.deepEqual(told, ['metadata.uid,status.phase'], String(lines));
    }
  }
  for (const lines of [[], [[TEXT, '']], [[TEXT, ' ,']], [[BIN, encoded()]]]) {
    const { reply, told } = await masked(pods, 'GetPod', { podUID: 'uid-1' }, lines);
    assert.equal(decode(reply.pod).spec.containers[0].name, 'main');
    assert.deepEqual(told, []);
  }
});

test('a bad mask is refused with every bad path', async (t) => {
  const { pods } = await serve(t, '--qps', '0');
  await eventually(() => call(pods, 'ListPods', {}));
  const lines = [[TEXT, 'status.podIps,metadata.uid,spec..nodeName']];
  const error = await refused(grpc.status.INVALID_ARGUMENT, masked(pods, 'ListPods', {}, lines));
  assert.equal(
    error.details,
    'x-kubernetes-fieldmask: path 1 "status.podIps": "podIps" (byte 7) is not a field of ' +
      'PodStatus; names are case-sensitive: did you mean "podIPs"?; ' +
      'path 3 "spec..nodeName": empty segment at byte 5',
  );
  const [details] = error.metadata.get('grpc-status-details-bin');
  const request = details.subarray(details.indexOf('type.googleapis.com/google.rpc.BadRequest'));
  for (const path of ['status.podIps', 'spec..nodeName']) assert.ok(request.includes(path), path);
  const bytes = [[BIN, Buffer.from([10, 127])]];
  const undecodable = await refused(
    grpc.status.INVALID_ARGUMENT,
    masked(pods, 'GetPod', { podUID: 'nobody' }, bytes),
  );
  assert.ok(undecodable.details.startsWith(`${BIN}: `), undecodable.details);
  const many = Array.from({ length: 500 }, (_, n) => `status.p${String(n).padStart(3, '0')}`);
  const events = new Reader(pods.WatchPods({}, metadataOf([[TEXT, many.join(',')]])));
  assert.equal((await events.next()).code, grpc.status.INVALID_ARGUMENT);
});

test('a masked watch hears of a pod when the selected fields changed', async (t) => {
  const { server, pods } = await serve(t, '--qps', '0');
  server.write('one', 'uid-1');
  await eventually(() => call(pods, 'GetPod', { podUID: 'uid-1' }));
  const watch = async (mask) => {
    const stream = pods.WatchPods({}, metadataOf([[TEXT, mask]]));
    const answered = once(stream, 'metadata');
    const events = new Reader(stream);
    assert.deepEqual((await answered)[0].get(APPLIED), [mask]);
    assert.equal((await events.next()).type, 'ADDED');
    assert.equal((await events.next()).type, 'INITIAL_SYNC_COMPLETE');
    return events;
  };
  const steps = await watch('metadata.labels.step');
  const uids = await watch('metadata.uid');
  server.write('one', 'uid-1', 1);
  const changed = await steps.next();
  assert.equal(changed.type, 'MODIFIED');
  assert.deepEqual(leaves(decode(changed.pod)), ['metadata.labels.step']);
  server.write('two', 'uid-2');
  const added = await uids.next();
  assert.equal(added.type, 'ADDED');
  assert.deepEqual(leaves(decode(added.pod)), ['metadata.uid']);
  fs.unlinkSync(path.join(server.manifests, 'one.yaml'));
  const gone = await uids.next();
  assert.equal(gone.type, 'DELETED');
  const identity = ['metadata.name', 'metadata.namespace', 'metadata.uid'];
  assert.deepEqual(leaves(decode(gone.pod)), identity);
  for (const events of [steps, uids]) events.stream.cancel();
});

test('a deadline ends a watch', async (t) => {
  const { pods } = await serve(t);
  const events = new Reader(pods.WatchPods({}, { deadline: new Date(Date.now() + 400) }));
  let last;
  do {
    last = await events.next();
  } while (last?.type);
  assert.equal(last?.code, grpc.status.DEADLINE_EXCEEDED);
});

test('a restarted server is found again and replays', async (t) => {
  const { server, pods } = await serve(t, '--qps', '0');
  server.write('one', 'uid-1');
  await eventually(() => call(pods, 'GetPod', { podUID: 'uid-1' }));
  const events = new Reader(pods.WatchPods({}));
  assert.equal((await events.next()).type, 'ADDED');
  assert.equal((await events.next()).type, 'INITIAL_SYNC_COMPLETE');
  await server.kill('SIGKILL');
  assert.equal((await events.next()).code, grpc.status.UNAVAILABLE);
  await server.start();
  await eventually(async () => {
    const replay = new Reader(pods.WatchPods({}));
    const event = await replay.next();
    assert.equal(event.type, 'ADDED', String(event));
    replay.stream.cancel();
  });
});

test('six hundred concurrent calls all succeed', async (t) => {
  const { pods } = await serve(t, '--qps', '0', '--simulate', '50:0:7');
  await eventually(() => call(pods, 'ListPods', {}));
  const calls = Array.from({ length: 600 }, () => call(pods, 'ListPods', {}, 4 * PATIENCE));
  const sizes = new Set((await Promise.all(calls)).map((reply) => reply.pods.length));
  assert.deepEqual([...sizes], [50]);
});
