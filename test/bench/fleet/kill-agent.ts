import { createSocket } from 'node:dgram';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { LABELS } from '../../../api/index.ts';
import { PODS, SERVICES, type KubeClient, type Pod } from '@groundcrew/controller-runtime';
import { GET_CAPABILITIES } from '../ipmi/contender.ts';
import type { BmcAccess } from './clients/power-client.ts';
import { NAMESPACE, serviceOf } from './objects.ts';
import { processOf, startOf } from './processes.ts';

/** Most ms until all BMCs answer again. */
const PATIENCE = 120_000;
/** ms between two requests to a BMC that does not answer. */
const INTERVAL = 100;

/** What followed the kill of an agent; all times in ms. */
export interface Kill {
  pod: string;
  /** Number of BMCs that it served. */
  bmcs: number;
  /** From the kill to the start of the process that replaced it in its pod; undefined: none was seen. */
  restarted?: number;
  /** Pod that serves the BMCs now. */
  successor: string;
  /** From the kill until every BMC had answered by IPMI, and by Redfish; undefined: not in time. */
  ipmi?: number;
  redfish?: number;
}

/** A killed agent; `recovered` resolves when all its BMCs have answered again, or after two minutes. */
export interface Killed {
  pod: string;
  recovered: Promise<Kill>;
}

/**
 * Kills with SIGKILL the agent that serves the most BMCs, as the selectors of their Services say.
 *
 * @param node process of the simulated node
 */
export async function killAgent(client: KubeClient, node: number, bmcs: readonly BmcAccess[]): Promise<Killed> {
  const { pod, served } = await busiestAgent(client, bmcs);
  const name = pod.metadata.name;
  const victim = processOf(node, name);
  if (victim === undefined) throw new Error(`pod ${name} has no process`);
  process.kill(victim.pid, 'SIGKILL');
  const killed = performance.now();
  const stop = AbortSignal.timeout(PATIENCE);
  const recover = async (): Promise<Kill> => {
    const since = (time: number | undefined): number | undefined => (time === undefined ? undefined : time - killed);
    const [restarted, ipmi, redfish] = await Promise.all([
      restartOf(node, name, victim.pid, stop),
      lastOf(served.map((bmc) => answersIpmi(bmc, stop))),
      lastOf(served.map((bmc) => answersRedfish(bmc, stop))),
    ]);
    const successor = (await busiestAgent(client, served)).pod.metadata.name;
    return withoutUndefined({
      ...{ pod: name, bmcs: served.length, successor },
      ...{ restarted: since(restarted), ipmi: since(ipmi), redfish: since(redfish) },
    });
  };
  return { pod: name, recovered: recover() };
}

async function busiestAgent(
  client: KubeClient,
  bmcs: readonly BmcAccess[],
): Promise<{ pod: Pod; served: readonly BmcAccess[] }> {
  const labelSelector = `${LABELS.component}=bmc-agent`;
  const [{ items: pods }, { items: services }] = await Promise.all([
    client.list(PODS, { namespace: NAMESPACE, labelSelector }),
    client.list(SERVICES, { namespace: NAMESPACE }),
  ]);
  const selectors = new Map(
    services.map(({ metadata, spec }) => [metadata.name, Object.entries(spec?.selector ?? {})]),
  );
  const agents = pods.map((pod) => {
    const served = bmcs.filter(({ vm }) => {
      const selector = selectors.get(serviceOf(vm)) ?? [];
      return selector.length > 0 && selector.every(([key, value]) => pod.metadata.labels?.[key] === value);
    });
    return { pod, served };
  });
  const [busiest] = agents.toSorted((one, other) => other.served.length - one.served.length);
  if (busiest === undefined) throw new Error('there is no agent of a BMC');
  return busiest;
}

async function restartOf(node: number, pod: string, before: number, stop: AbortSignal): Promise<number | undefined> {
  while (!stop.aborted) {
    const identity = processOf(node, pod);
    if (identity !== undefined && identity.pid !== before) return startOf(identity);
    await sleep(INTERVAL);
  }
  return undefined;
}

/** The latest time; undefined if one is missing. */
async function lastOf(times: readonly Promise<number | undefined>[]): Promise<number | undefined> {
  const all = await Promise.all(times);
  return all.reduce<number | undefined>(
    (last, time) => (last === undefined || time === undefined ? undefined : Math.max(last, time)),
    0,
  );
}

async function answersIpmi({ ipmi }: BmcAccess, stop: AbortSignal): Promise<number | undefined> {
  const socket = createSocket('udp4');
  socket.on('error', () => undefined);
  let answered: number | undefined;
  socket.once('message', () => {
    answered = performance.now();
  });
  while (answered === undefined && !stop.aborted) {
    socket.send(GET_CAPABILITIES, ipmi.port, ipmi.host, () => undefined);
    await sleep(INTERVAL);
  }
  socket.close();
  return answered;
}

async function answersRedfish(bmc: BmcAccess, stop: AbortSignal): Promise<number | undefined> {
  let problem = '';
  while (!stop.aborted) {
    problem = await problemOf(bmc);
    if (problem === '') return performance.now();
    await sleep(INTERVAL);
  }
  console.error(`${bmc.vm} does not answer Redfish: ${problem}`);
  return undefined;
}

/** Why a BMC does not send its service root; empty if it does. */
async function problemOf({ redfish, ca }: BmcAccess): Promise<string> {
  return await new Promise((resolve) => {
    const options = { ...redfish, ca, path: '/redfish/v1/', agent: false, timeout: 5_000 };
    const asked = request(options, (response) => {
      response.resume();
      response.on('close', () => {
        resolve(response.statusCode === 200 ? '' : `status ${response.statusCode ?? 'unknown'}`);
      });
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer within 5 s')));
    asked.on('error', ({ message }) => {
      resolve(message);
    });
    asked.end();
  });
}

function withoutUndefined<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
