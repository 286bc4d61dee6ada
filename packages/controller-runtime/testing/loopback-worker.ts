import { parentPort, workerData } from 'node:worker_threads';
import { LoopbackServer } from './loopback-server.ts';

/**
 * A LoopbackServer in a thread of its own, which answers while the test's own thread stands still. It tells its URL and
 * CA, and on any message the number of its connections; the first word of its `workerData`, a SharedArrayBuffer of
 * 4 bytes, counts the answers that it has sent.
 */
const answers = new Int32Array(workerData as SharedArrayBuffer);
const server = await LoopbackServer.start((_, response) => {
  response.once('finish', () => {
    Atomics.add(answers, 0, 1);
    Atomics.notify(answers, 0);
  });
  response.end('{}');
});
parentPort?.on('message', () => parentPort?.postMessage(server.connections));
parentPort?.postMessage({ url: server.url, ca: server.ca });
