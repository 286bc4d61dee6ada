import { parentPort, workerData } from 'node:worker_threads';
import { LoopbackServer } from './loopback-server.ts';

/**
 * Runs a LoopbackServer in a worker thread, which answers while the test's thread is blocked. It posts its URL and CA,
 * and the number of its connections on any message. Its `workerData` is a SharedArrayBuffer of 4 bytes that counts the
 * sent responses.
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
