import { EventRecorder, HealthServer, KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { type AgentProcessOptions, inClusterConfig, processMetrics, runProcess } from '../process/index.ts';
import { DhcpUdpEndpoint, LoopbackEndpoint } from '../../protocols/dhcp/index.ts';
import { KernelNeighbours } from './conflicts/neighbours.ts';
import { DhcpAgent } from './dhcp-agent.ts';

export interface DhcpAgentProcessOptions extends AgentProcessOptions {
  /** `namespace/name` of the net-attach-def whose pools are served. */
  network: string;
  /** Index of this agent's server address in a pool. */
  serverIndex: number;
  /** Namespaces that have pools of the network. */
  poolNamespaces: readonly string[];
  podName: string;
  /** The pod's addresses for health checks and, in loopback mode, for DHCP. */
  bindAddresses: readonly string[];
  healthPort: number;
  snapshotDirectory: string;
  /** Serve DHCP on this port of the bind address and answer to where requests came from: for simulated networks. */
  loopbackPort?: number;
  /** Version of groundcrew: `1.2.3`. */
  version?: string;
}

/** Field manager of the agents' writes, and reporter of their Events. */
const FIELD_MANAGER = 'groundcrew-agent-dhcp';

/**
 * Serves DHCP until SIGTERM or SIGINT, or with GROUNDCREW_EXIT_WITH_PARENT=1 until standard input ends.
 *
 * @returns the process's exit code
 */
export async function runDhcpAgent(options: DhcpAgentProcessOptions): Promise<number> {
  return await runProcess(options, (stop) => serve(options, stop));
}

async function serve(options: DhcpAgentProcessOptions, stop: AbortSignal): Promise<void> {
  const { podName, logger } = options;
  const clock = systemClock;
  await using parts = new AsyncDisposableStack();
  const client = new KubeClient({
    transport: httpsTransport(inClusterConfig(options.env)),
    fieldManager: FIELD_MANAGER,
  });
  parts.defer(() => client.close());
  const events = new EventRecorder({ client, component: FIELD_MANAGER, instance: podName, clock, logger });
  parts.defer(() => events.flush());
  const agent = dhcpAgent(options, client, events);
  const build = { component: 'dhcp-agent', version: options.version ?? 'unknown' } as const;
  const metrics = processMetrics(build, () => agent.metrics.families());
  const health = new HealthServer({ readyz: agent.checks, metrics, logger });
  await health.listen({ host: options.bindAddresses[0] ?? '0.0.0.0', port: options.healthPort });
  parts.defer(() => health.close());
  await agent.run(stop);
}

function dhcpAgent(options: DhcpAgentProcessOptions, client: KubeClient, events: EventRecorder): DhcpAgent {
  const { network, serverIndex, poolNamespaces, podName, snapshotDirectory, loopbackPort, logger } = options;
  const [address = '127.0.0.1'] = options.bindAddresses;
  return new DhcpAgent({
    client,
    events,
    network,
    serverIndex,
    namespaces: poolNamespaces,
    podName,
    snapshotDirectory,
    endpoint: (binding) =>
      loopbackPort === undefined
        ? new DhcpUdpEndpoint(binding)
        : new LoopbackEndpoint({ ...binding, address, port: loopbackPort }),
    // A simulated network has no ARP.
    ...(loopbackPort === undefined ? { neighbours: new KernelNeighbours(systemClock) } : {}),
    clock: systemClock,
    now: () => systemClock.monotonic(),
    logger,
  });
}
