// The Pods API as @grpc/grpc-js sees it, on its default `unix:` target.
//
// Run by tests/interop/run, which sets PODSAPI_BIN (the binary under test) and PODSAPI_PROTOS.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const PATIENCE = 15_000;
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
    for (let waited = 0; !fs.existsSync(this.socket); waited += 10) {
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
  assert.equal(got.spec.nodeName, 'Node-A');
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
