import { randomBytes } from 'node:crypto';
import {
  BmcMetrics,
  CheckRounds,
  dedicatedSet,
  hostDependencies,
  RequestTraces,
  tracedCalls,
} from '../../../agent/bmc/index.ts';
import { consoleSockets } from '../../../agent/bmc/kubevirt/console/console-socket.ts';
import { webPages } from '../../../agent/bmc/servers/web-pages.ts';
import { agentName, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../../api/index.ts';
import {
  EventRecorder,
  KubeClient,
  systemClock,
  type Clock,
  type Logger,
  type ObjectRef,
  type Role,
} from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { role } from '../../../manager/virtualmachinebmc/children/role.ts';
import type { Machine, PowerState } from '../../../protocols/machine/index.ts';
import { eventually, type Cluster } from '../../harness/index.ts';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { grantRole, serviceAccountToken } from '../../harness/service-accounts.ts';
import { FaultyTransport } from '../../harness/faulty-transport.ts';

export interface TestAgentOptions {
  bmc: Required<ObjectRef>;
  /** Default `agent-1`. */
  podName?: string;
  /** UDP port of IPMI on 127.0.0.1; default any free port. */
  ipmiPort?: number;
  /** Whether it serves Redfish; default false. */
  redfish?: boolean;
  /** Whether clients may use addresses of this machine for events and images; default false. */
  allowsLoopback?: boolean;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
  traces?: RequestTraces;
  /** Called when a client requests a restart. */
  onRestart?: () => void;
  /** Responses to return instead of the API server's from the start. */
  answers?: FaultyTransport['answers'];
  /** Which rules of the manager's Role it has, as with a manager of an older version; default: all. */
  permits?: (rule: Rule) => boolean;
}

type Rule = NonNullable<Role['rules']>[number];

/** Access to its API server. */
type ClusterAccess = Pick<Cluster, 'client' | 'server' | 'ca'>;

/** An agent in this process with the token and the permissions from the manager; agents share no state. */
export class TestAgent {
  readonly #set: ReturnType<typeof dedicatedSet>['bmcs'];
  readonly #ref: Required<ObjectRef>;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly events: EventRecorder;
  readonly transport: FaultyTransport;

  private constructor(
    transport: FaultyTransport,
    access: Parameters<typeof consoleSockets>[0],
    {
      bmc,
      podName = 'agent-1',
      ipmiPort = 0,
      redfish = false,
      allowsLoopback = false,
      clock = systemClock,
      logger = silentLogger,
      traces = new RequestTraces('test'),
      onRestart,
    }: TestAgentOptions,
  ) {
    const traced = tracedCalls(transport, traces, logger, () => performance.now());
    const client = new KubeClient({ transport: traced, fieldManager: 'groundcrew-agent-bmc' });
    const { namespace, name } = bmc;
    const common = { client, clock, logger };
    this.transport = transport;
    this.#ref = bmc;
    this.events = new EventRecorder({ ...common, component: 'groundcrew-agent-bmc' });
    const { bmcs, run } = dedicatedSet({
      ...common,
      events: this.events,
      namespace,
      name,
      podName,
      addresses: ['127.0.0.1'],
      ipmiPort,
      ...(redfish ? { redfishPort: 0, redfishHttpPort: 0, pages: webPages(logger) } : {}),
      ...(onRestart === undefined ? {} : { restart: onRestart }),
      deviceInfo: { firmware: { major: 0, minor: 1 } },
      hosts: hostDependencies(systemClock, { allowsLoopback }),
      openConsole: consoleSockets(access),
      traces,
      agentMetrics: new BmcMetrics(() => this.#set.gauges),
      now: () => performance.now(),
      random: randomBytes,
      checks: new CheckRounds(systemClock),
    });
    this.#set = bmcs;
    this.#ended = run(this.#stop.signal);
  }

  /** Starts an agent, writes its name into the BMC's status as the manager does, and resolves when it serves. */
  static async start(cluster: ClusterAccess, options: TestAgentOptions): Promise<TestAgent> {
    const agent = await TestAgent.begin(cluster, options);
    await eventually(() => {
      if (agent.problem !== undefined) throw new Error(agent.problem);
    });
    return agent;
  }

  /** Starts an agent without waiting until it serves. */
  static async begin(cluster: ClusterAccess, options: TestAgentOptions): Promise<TestAgent> {
    const { client, server, ca } = cluster;
    const { bmc, podName = 'agent-1' } = options;
    const account = await permit(cluster, await client.get(VIRTUAL_MACHINE_BMCS, bmc), options.permits);
    const token = await serviceAccountToken(client, account);
    const access = { server, ca, token };
    const transport = new FaultyTransport(httpsTransport(access));
    if (options.answers !== undefined) transport.answers = options.answers;
    const agent = new TestAgent(transport, access, options);
    await client.patch(
      VIRTUAL_MACHINE_BMCS,
      bmc,
      'merge',
      { status: { agent: { name: podName } } },
      { subresource: 'status' },
    );
    return agent;
  }

  get problem(): string | undefined {
    return this.#set.problem;
  }

  /** The UDP port of IPMI on 127.0.0.1. */
  get ipmiPort(): number | undefined {
    return this.#set.find(this.#ref)?.ipmiPort;
  }

  /** The TCP port of Redfish on 127.0.0.1. */
  get redfishPort(): number | undefined {
    return this.#set.find(this.#ref)?.redfishPort;
  }

  get machine(): Machine {
    const bmc = this.#set.find(this.#ref);
    if (bmc === undefined) throw new Error('the agent serves no BMC yet');
    return bmc.machine;
  }

  /** Rejects new log-ins, as an agent that is stopping. */
  drain(): void {
    this.#set.drain();
  }

  /** Stops all activity immediately. */
  async kill(): Promise<void> {
    this.transport.kill();
    await this.close();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    // Pending Events would open a connection to a server that is being closed.
    await this.events.flush();
    await this.transport.close();
  }
}

/** Creates the same service account, Role and RoleBinding as the manager, and returns the account. */
export async function permit(
  { client }: Pick<Cluster, 'client'>,
  bmc: VirtualMachineBMC,
  permits: (rule: Rule) => boolean = () => true,
): Promise<Required<ObjectRef>> {
  const { namespace = '' } = bmc.metadata;
  const account = { namespace, name: agentName(bmc.spec.virtualMachineRef.name) };
  await grantRole(client, account, role(bmc).rules?.filter(permits));
  return account;
}

/** Resolves when the BMC tells its clients this power state. */
export async function untilState({ machine }: TestAgent, state: PowerState): Promise<void> {
  await eventually(
    () => {
      const now = machine.powerState();
      if (now !== state) throw new Error(`the machine is ${now}, not ${state}`);
    },
    { timeout: 20_000 },
  );
}
