import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { ServerProcess } from '../../harness/process.ts';
import type { SandboxBmc } from '../../harness/sandbox/index.ts';
import { startServer, type BenchServer } from '../server-process.ts';

/** Peers speak IPMI only. */
export type BenchBmc = Omit<SandboxBmc, 'redfish'> & { readonly redfish?: string };

/** A running BMC that takes part in the comparison. */
export interface Contender extends BenchServer {
  name: 'groundcrew' | 'fakebmc' | 'ipmi_sim';
  bmc: BenchBmc;
}

interface ContenderOptions extends Pick<Contender, 'name' | 'bmc'> {
  /** Not started yet. */
  process: ServerProcess;
  /** Runs after the end of the process. */
  cleanUp: () => Promise<void>;
}

const ANSWER_TIMEOUT = 5_000;

/** Starts the process of a BMC and resolves when it answers. @throws Error with the output of the process */
export async function startContender({ name, bmc, process, cleanUp }: ContenderOptions): Promise<Contender> {
  const answers = () => firstAnswer(bmc.ipmi.port, AbortSignal.timeout(ANSWER_TIMEOUT));
  return Object.assign(await startServer(process, answers, cleanUp), { name, bmc });
}

/**
 * IPMI 1.5 Get Channel Authentication Capabilities (IPMI 2.0 §22.13), the first request of a client; needs no session.
 */
export const GET_CAPABILITIES = Buffer.from('0600ff07000000000000000000092018c88100388e04b5', 'hex');

/** Sends a request to a BMC on 127.0.0.1 every 5 ms; resolves with the time of the first answer. Rejects when aborted. */
export async function firstAnswer(port: number, signal: AbortSignal): Promise<number> {
  const socket = createSocket('udp4');
  // Refused until the BMC listens.
  socket.on('error', () => undefined);
  const timer = setInterval(() => {
    socket.send(GET_CAPABILITIES, port, '127.0.0.1');
  }, 5);
  try {
    await once(socket, 'message', { signal });
    return performance.now();
  } finally {
    clearInterval(timer);
    socket.close();
  }
}
