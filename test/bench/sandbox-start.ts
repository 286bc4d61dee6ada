import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { freeUdpRange } from '../harness/free-port.ts';
import { startSandbox } from '../harness/sandbox/index.ts';
import type { Measurement } from './measurement.ts';

const RUNS = 5;
/** IPMI 1.5 Get Channel Authentication Capabilities (IPMI 2.0 §22.13), which needs no session. */
const GET_CAPABILITIES = Buffer.from('0600ff07000000000000000000092018c88100388e04b5', 'hex');

/** From the start of the sandbox's process to the first answer on IPMI, and to its ready file. */
export async function measureSandboxStart(progress: (line: string) => void): Promise<Measurement[]> {
  const answered: number[] = [];
  const ready: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    progress(`sandbox start ${run + 1} of ${RUNS}`);
    const port = await freeUdpRange(2);
    const stop = new AbortController();
    const started = performance.now();
    const answer = firstAnswer(port, stop.signal).then((time) => {
      answered.push(time - started);
    });
    const sandbox = await startSandbox({ vms: 2, ipmiPort: port });
    ready.push(performance.now() - started);
    await answer;
    stop.abort();
    await sandbox.process.stop('SIGINT');
    await sandbox.close();
  }
  return [
    { what: 'sandbox of 2 VMs: process start to first answered IPMI request', times: answered },
    { what: 'sandbox of 2 VMs: process start to ready file', times: ready },
  ];
}

/** Asks every 5 ms until an answer comes; the time when it came. */
async function firstAnswer(port: number, signal: AbortSignal): Promise<number> {
  const socket = createSocket('udp4');
  // Refused while nothing listens: the next datagram may be answered.
  socket.on('error', () => undefined);
  const asking = setInterval(() => {
    socket.send(GET_CAPABILITIES, port, '127.0.0.1');
  }, 5);
  try {
    await once(socket, 'message', { signal });
    return performance.now();
  } finally {
    clearInterval(asking);
    socket.close();
  }
}
