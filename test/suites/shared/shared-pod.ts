import { randomBytes } from 'node:crypto';
import {
  agentClient,
  BmcMetrics,
  CheckRounds,
  hostDependencies,
  RequestTraces,
  SharedAgent,
  tracedCalls,
} from '../../../agent/bmc/index.ts';
import { sharedAgentPorts } from '../../../api/index.ts';
import { type Clock, EventRecorder, systemClock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';
import type { Cluster } from '../../harness/index.ts';
import { FaultyTransport } from '../../harness/faulty-transport.ts';
import { serviceAccountToken } from '../../harness/service-accounts.ts';

/** A process of the shared agent, with the token and permissions that the manager gives it. */
export interface SharedPod {
  readonly name: string;
  /** Loopback address of its sockets, in place of the address of a pod. */
  readonly address: string;
  readonly agent: SharedAgent;
  readonly events: EventRecorder;
  readonly transport: FaultyTransport;
  /** Watches that it has opened. */
  readonly watches: readonly string[];
  /** Resolves with its error, if it ended with one. */
  readonly ended: Promise<unknown>;
  /** Sends SIGTERM. */
  stop(): void;
  /** SIGKILL: nothing that it sends arrives any more. */
  kill(): void;
  /** Waits for its end, and closes its connections. */
  close(): Promise<void>;
}

export interface SharedPodOptions {
  namespace: string;
  /** Name of the shared agent. */
  agent: string;
  /** Of the pod, which exists. */
  name: string;
  /** Loopback address of its sockets. */
  address: string;
  clock?: Clock;
  /** Of its client. */
  most?: number;
}

/** Starts the process of a pod, in this process. */
export async function startSharedPod(
  world: Pick<Cluster, 'client' | 'server' | 'ca'>,
  { namespace, agent: shared, name, address, clock = systemClock, most }: SharedPodOptions,
): Promise<SharedPod> {
  const token = await serviceAccountToken(world.client, { namespace, name: shared });
  const transport = new FaultyTransport(httpsTransport({ server: world.server, ca: world.ca, token }));
  const watches: string[] = [];
  const counted = {
    request: async (request: Parameters<FaultyTransport['request']>[0]) => {
      if (request.path.includes('watch=true')) watches.push(request.path.split('?')[0] ?? '');
      return await transport.request(request);
    },
    close: () => transport.close(),
  };
  const traces = new RequestTraces('test');
  const traced = tracedCalls(counted, traces, silentLogger, () => performance.now());
  const client = agentClient({ transport: traced, traces, clock, ...(most === undefined ? {} : { most }) });
  const events = new EventRecorder({ client, component: client.fieldManager, clock, logger: silentLogger });
  const agent: SharedAgent = new SharedAgent({
    ...{ client, events, namespace, clock, traces, shared, podName: name, addresses: [address] },
    deviceInfo: { firmware: { major: 0, minor: 1 } },
    hosts: hostDependencies(clock),
    openConsole: () => Promise.reject(new Error('no console here')),
    agentMetrics: new BmcMetrics(() => agent.bmcs.gauges),
    checks: new CheckRounds(clock),
    now: () => performance.now(),
    random: randomBytes,
    logger: silentLogger,
  });
  const stopped = new AbortController();
  const ended = agent.run(stopped.signal).catch((error: unknown) => error);
  return {
    ...{ name, address, agent, events, transport, watches, ended },
    stop: () => {
      stopped.abort();
    },
    kill: () => {
      transport.kill();
      stopped.abort();
    },
    close: async () => {
      await ended;
      await events.flush();
      await transport.close();
    },
  };
}

export interface Session {
  /** @returns the completion code */
  command(netFn: number, command: number, data?: string): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens an IPMI session with the BMC in this slot of an agent.
 *
 * @param patience milliseconds
 */
export async function openSession(
  address: string,
  slot: number,
  login: { username: string; password: string },
  patience = 10_000,
): Promise<Session> {
  const transport = await udpTransport(address, sharedAgentPorts(slot).ipmi, patience);
  const client = new RmcpPlusClient(transport);
  try {
    await client.login(login);
    await client.setPrivilege(4);
  } catch (error) {
    transport.close();
    throw error;
  }
  return {
    command: async (netFn, command, data = '') => {
      const { completionCode } = await client.command(netFn, command, Buffer.from(data, 'hex'));
      return completionCode;
    },
    close: async () => {
      await client.logout();
      transport.close();
    },
  };
}
