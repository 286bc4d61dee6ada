import { request } from 'node:https';
import type { ServerProcess } from '../../harness/process.ts';
import { bmcAgent, type NodeRun } from '../bmc-agent.ts';
import { OURS } from '../measurement.ts';
import { startServer, type BenchServer } from '../server-process.ts';

interface Service {
  readonly name: typeof OURS | 'sushy-tools';
  /** URL without a slash at the end. */
  readonly base: string;
  readonly username: string;
  readonly password: string;
  /** Path of the System that is read. */
  readonly system: string;
  /** Number of requests of the endurance test; sushy-tools runs out of file descriptors. */
  readonly endurance: number;
}

/** A running Redfish service that takes part in the comparison. */
export type Contender = Service & BenchServer;

const ANSWER_TIMEOUT = 2_000;

/** Starts our agent. @param node default as in the image */
export async function startOurs(node?: NodeRun): Promise<Contender> {
  const { bmc, process, cleanUp } = await bmcAgent(node);
  const { redfish: base, username, password } = bmc;
  const system = '/redfish/v1/Systems/1';
  return await startContender({ name: OURS, base, username, password, system, endurance: 100_000 }, process, cleanUp);
}

/** Starts the process of a service and resolves when it answers. @throws Error with the output of the process */
export async function startContender(
  service: Service,
  process: ServerProcess,
  cleanUp: () => Promise<void>,
): Promise<Contender> {
  return Object.assign(await startServer(process, () => firstAnswer(service.base), cleanUp), service);
}

/** Reads the service root, which needs no log-in, once; resolves with the time of the answer. @throws Error */
function firstAnswer(base: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${base}/redfish/v1/`,
      { rejectUnauthorized: false, agent: false, timeout: ANSWER_TIMEOUT },
      (response) => {
        response.resume();
        resolve(performance.now());
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', reject);
    sent.end();
  });
}
