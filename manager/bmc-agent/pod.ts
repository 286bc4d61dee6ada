import { agentPod, type AgentPod } from '../agent-workload/index.ts';

/** Port of an agent's probes and metrics. It is above 1023, because the agent does not run as root. */
export const HEALTH_PORT = 10080;

export interface BmcAgentPod extends Pick<AgentPod, 'serviceAccountName' | 'settings'> {
  /** The arguments that say which BMCs it serves. */
  serves: readonly string[];
  /** The arguments that say on which ports. */
  listens?: readonly string[];
  /** Ports besides that of the probes. */
  ports?: AgentPod['ports'];
}

/** The pod of an agent that serves one BMC or many. */
export function bmcAgentPod({
  serviceAccountName,
  settings,
  serves,
  listens = [],
  ports,
}: BmcAgentPod): ReturnType<typeof agentPod> {
  return agentPod({
    serviceAccountName,
    component: 'bmc-agent',
    settings,
    // Sessions have up to 60 s to end while the agent drains.
    terminationGracePeriodSeconds: 60,
    args: [
      ...['agent', 'bmc'],
      ...['--namespace', '$(POD_NAMESPACE)'],
      ...serves,
      ...['--pod-name', '$(POD_NAME)'],
      ...['--bind-address', '$(POD_IPS)'],
      ...listens,
      ...['--health-port', String(HEALTH_PORT)],
      ...['--log-level', settings.logLevel ?? 'info'],
      ...(settings.metrics === true ? ['--metrics'] : []),
      ...(settings.extraArgs ?? []),
    ],
    env: { POD_NAME: 'metadata.name', POD_NAMESPACE: 'metadata.namespace', POD_IPS: 'status.podIPs' },
    ports: { ...ports, health: { containerPort: HEALTH_PORT, protocol: 'TCP' } },
    probes: { liveness: 10, readiness: 2 },
  });
}
