import type { Deployment, Event, KubeObject, Lease, Pod, Service, StatefulSet } from '@groundcrew/controller-runtime';
import {
  ANNOTATIONS,
  agentLabels,
  agentName,
  LABELS,
  type AgentRollout,
  type Condition,
  type IPLease,
  type IPPool,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import type { Inputs } from '../inputs.ts';
import type { Written } from '../problem.ts';

export const NOW = Date.parse('2026-11-21T12:00:00Z');
export const MAC = '52:54:00:00:00:01';
const HOUR_AGO = '2026-11-21T11:00:00Z';

/** RFC 3339 time that many seconds ago. */
export function secondsAgo(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString();
}

/** The same, written that many seconds ago; its status was reported just now. */
export function edited<T extends KubeObject>(object: T, seconds: number): T {
  const managedFields = [{ time: secondsAgo(seconds) }, { time: secondsAgo(0), subresource: 'status' }];
  const metadata: Written['metadata'] = { ...object.metadata, managedFields };
  return { ...object, metadata };
}

export function condition(type: string, status: 'True' | 'False', reason: string, message = `${reason}.`): Condition {
  return { type, status, reason, message, lastTransitionTime: secondsAgo(720) };
}

/** These conditions, with the others of `all` unchanged. */
function changed(all: readonly Condition[], changes: readonly Condition[]): Condition[] {
  return [...all.filter(({ type }) => changes.every((one) => one.type !== type)), ...changes];
}

const BMC_HEALTHY = [
  condition('VirtualMachineAvailable', 'True', 'VirtualMachineFound'),
  condition('ServiceReady', 'True', 'ServiceReady'),
  condition('AgentReady', 'True', 'AgentReady'),
  condition('Ready', 'True', 'Ready'),
];

/** A BMC `vms/<name>` of the VM of the same name. */
export function aBmc(
  name = 'web',
  { conditions = [], ...status }: Partial<NonNullable<VirtualMachineBMC['status']>> = {},
): VirtualMachineBMC {
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: { name, namespace: 'vms', uid: `uid-${name}`, generation: 2 },
    spec: { virtualMachineRef: { name } },
    status: {
      phase: 'Ready',
      observedGeneration: 2,
      endpoints: { ipmi: '10.0.0.1:623', redfish: 'https://10.0.0.1' },
      agent: { name: `${name}-virtbmc-x` },
      conditions: changed(BMC_HEALTHY, conditions),
      ...status,
    },
  };
}

export function aVm(name = 'web', labels: Record<string, string> = {}): VirtualMachine {
  const networks = [{ name: 'lan', multus: { networkName: 'prod-net' } }];
  const devices = { interfaces: [{ name: 'lan', bridge: {}, macAddress: MAC }] };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'vms', labels },
    spec: { runStrategy: 'Manual', template: { spec: { domain: { memory: { guest: '1Gi' }, devices }, networks } } },
  };
}

export function anEvent(uid: string, time: string, reason: string): Event {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${uid}.${time}`, namespace: 'vms' },
    involvedObject: { uid },
    lastTimestamp: time,
    reason,
    message: 'by admin',
  };
}

const POOL_HEALTHY = [
  condition('Registered', 'True', 'Registered'),
  condition('AgentReady', 'True', 'AgentsReady'),
  condition('Ready', 'True', 'Ready'),
  condition('Stopped', 'False', 'NotPaused'),
  condition('Exhausted', 'False', 'AddressesAvailable'),
  condition('ConflictDetected', 'False', 'NoConflict'),
];

/** The pool `vms/prod` of the network `vms/prod-net`. */
export function aPool(conditions: readonly Condition[] = [], paused = false): IPPool {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { name: 'prod', namespace: 'vms' },
    spec: {
      networkName: 'prod-net',
      ...(paused ? { paused } : {}),
      ipv4Config: {
        cidr: '10.0.0.0/24',
        serverIP: '10.0.0.2',
        serverIPs: ['10.0.0.2', '10.0.0.3'],
        pool: { start: '10.0.0.10', end: '10.0.0.20' },
      },
    },
    status: {
      phase: 'Ready',
      ipv4: { used: 2, available: 6, total: 11, resting: 3 },
      agents: [
        { serverIP: '10.0.0.2', ready: true },
        { serverIP: '10.0.0.3', ready: true },
      ],
      conditions: changed(POOL_HEALTHY, conditions),
    },
  };
}

/** A lease of the VM `vms/web` with 10.0.0.9 in the pool `prod` of the namespace. */
export function aLease(labels: Record<string, string> = {}, status?: IPLease['status'], namespace = 'vms'): IPLease {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: { name: 'prod.10.0.0.9', namespace, labels: { [LABELS.ipPool]: 'prod', ...labels } },
    spec: { ipAddress: '10.0.0.9', macAddress: MAC, vmRef: { namespace: 'vms', name: 'web' } },
    ...(status === undefined ? {} : { status }),
  };
}

export function aConfig(status?: VirtualMachineNetworkConfig['status'], paused = false): VirtualMachineNetworkConfig {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'VirtualMachineNetworkConfig',
    metadata: { name: 'web', namespace: 'vms' },
    spec: { vmName: 'web', paused, networkConfigs: [{ networkName: 'vms/prod-net', macAddress: MAC }] },
    ...(status === undefined ? {} : { status }),
  };
}

/** The status of a config that waits for an address. */
export function pending(message = 'PoolExhausted.'): VirtualMachineNetworkConfig['status'] {
  return {
    networkConfigs: [{ networkName: 'vms/prod-net', macAddress: MAC, state: 'Pending' }],
    conditions: [condition('Allocated', 'False', 'PoolExhausted', message)],
  };
}

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

/** A pod that is Ready, or has the given status. */
function aPod(metadata: Pod['metadata'], args: string[], status?: Partial<Pod['status']>): Pod {
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: HOUR_AGO };
  const spec = { nodeName: 'node-1', containers: [{ name: 'agent', image: 'groundcrew:1', args }] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { creationTimestamp: HOUR_AGO, ...metadata },
    spec,
    status: { phase: 'Running', conditions: [ready], containerStatuses: [aContainer({ running: {} })], ...status },
  };
}

export function aContainer(
  state: ContainerStatus['state'],
  restarts = 0,
  last?: ContainerStatus['lastState'],
): ContainerStatus {
  const base = { name: 'agent', image: 'groundcrew:1', imageID: '', ready: false, restartCount: restarts };
  return { ...base, ...(state === undefined ? {} : { state }), ...(last === undefined ? {} : { lastState: last }) };
}

/** The status of a pod that is not Ready because of its container. */
export function broken(container: ContainerStatus): Partial<Pod['status']> {
  const ready = { type: 'Ready', status: 'False', lastTransitionTime: secondsAgo(720) };
  return { conditions: [ready], containerStatuses: [container] };
}

export function waiting(
  reason: string,
  message: string,
  restarts = 0,
  last?: ContainerStatus['lastState'],
): Partial<Pod['status']> {
  return broken(aContainer({ waiting: { reason, message } }, restarts, last));
}

export function terminated(reason: string, exitCode: number, seconds = 240): NonNullable<ContainerStatus['lastState']> {
  return { terminated: { reason, exitCode, finishedAt: secondsAgo(seconds) } };
}

export function bmcAgent(status?: Partial<Pod['status']>, name = 'web'): Pod {
  return aPod(
    { name: `${name}-virtbmc-x`, namespace: 'vms', labels: agentLabels(name, name) },
    ['agent', 'bmc'],
    status,
  );
}

export function dhcpAgent(index: number, status?: Partial<Pod['status']>): Pod {
  const labels = { [LABELS.component]: 'dhcp-agent', [LABELS.network]: 'vms.prod-net' };
  return aPod({ name: `prod-net-dhcp-${index}-x`, namespace: 'vms', labels }, ['agent', 'dhcp'], status);
}

const MANAGER_ARGS = ['manager', '--agent-image=groundcrew:1', '--admission-address=:9443'];
const MANAGER_LABELS = { [LABELS.component]: 'manager', [LABELS.name]: 'groundcrew' };
const HOME = 'groundcrew-system';

export function managerPod(status?: Partial<Pod['status']>): Pod {
  return aPod({ name: 'groundcrew-manager-x', namespace: HOME, labels: MANAGER_LABELS }, MANAGER_ARGS, status);
}

export function aDeployment(
  name: string,
  given: {
    namespace?: string;
    replicas?: number;
    labels?: Record<string, string>;
    args?: string[];
    status?: Deployment['status'];
  } = {},
): Deployment {
  const { namespace = 'vms', replicas = 1, labels = agentLabels('web', 'web'), args = [], status } = given;
  const containers = [{ name: 'agent', image: 'groundcrew:1', args }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    ...(status === undefined ? {} : { status }),
  };
}

/** The pod `virtbmc-shared-0-<index>`. */
export function sharedPod(index: number, acts: boolean, status?: Partial<Pod['status']>): Pod {
  const labels = { ...SHARED_LABELS, ...(acts ? { [LABELS.acting]: 'true' } : {}) };
  return aPod({ name: `virtbmc-shared-0-${index}`, namespace: 'vms', labels }, ['agent', 'bmc'], status);
}

const SHARED_LABELS = { [LABELS.component]: 'bmc-agent', [LABELS.sharedAgent]: 'virtbmc-shared-0' };

export function aStatefulSet(replicas = 2): StatefulSet {
  const { metadata, spec } = aDeployment('virtbmc-shared-0', { replicas, labels: SHARED_LABELS });
  if (spec === undefined) throw new TypeError('the Deployment has no spec');
  const { selector, template } = spec;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...metadata, annotations: { [ANNOTATIONS.sharedAgentCapacity]: '250' } },
    spec: { serviceName: 'none', replicas, selector, template },
  };
}

export function managerDeployment(replicas = 1, status?: Deployment['status']): Deployment {
  const where = { namespace: HOME, labels: MANAGER_LABELS, args: MANAGER_ARGS };
  return aDeployment('groundcrew-manager', { ...where, replicas, ...(status === undefined ? {} : { status }) });
}

export function anElection(seconds: number, holderIdentity = 'groundcrew-manager-x_1'): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'groundcrew-manager', namespace: HOME },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: secondsAgo(seconds) },
  };
}

export function aService(name: string): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: agentName(name), namespace: 'vms', labels: agentLabels(name, name) },
    spec: {
      ...{ type: 'ClusterIP', clusterIP: '10.0.0.1' },
      ports: [
        { name: 'ipmi', port: 623, protocol: 'UDP' },
        { name: 'redfish', port: 443 },
      ],
    },
  };
}

export function aRollout(status: AgentRollout['status'] = {}): AgentRollout {
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'AgentRollout',
    metadata: { name: 'agents', namespace: HOME },
    spec: {},
    status: { phase: 'Complete', wave: 0, total: 3, updated: 3, ready: 3, failing: 0, held: 0, ...status },
  };
}

/** The same, with objects that are not new, and were not written lately. */
export function aged(inputs: Inputs): Inputs {
  const creationTimestamp = new Date(inputs.now - 3_600_000).toISOString();
  const old = (value: unknown): unknown => {
    if (!Array.isArray(value)) return value;
    return value.map((one: Partial<Pod>) =>
      one.metadata === undefined
        ? one
        : { ...one, metadata: { ...one.metadata, creationTimestamp, managedFields: [] } },
    );
  };
  // Each list has its type as before.
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, old(value)])) as unknown as Inputs;
}

/** A cluster without problems: a manager, the VM `vms/web` with its BMC, and its network with two DHCP agents. */
export function aCluster(changes: Partial<Inputs> = {}): Inputs {
  return {
    now: NOW,
    bmcs: [aBmc()],
    virtualMachines: [aVm()],
    instances: [],
    events: [],
    pools: [aPool()],
    leases: [aLease({}, { state: 'Bound', lastSeen: secondsAgo(30) })],
    networkConfigs: [],
    services: [aService('web')],
    pods: [managerPod(), bmcAgent(), dhcpAgent(0), dhcpAgent(1)],
    deployments: [managerDeployment(), aDeployment('web-virtbmc')],
    statefulSets: [],
    elections: [anElection(2)],
    webhooks: [{ configuration: `webhook-groundcrew-${HOME}`, namespace: HOME, answer: 'answers', message: '' }],
    rollouts: [aRollout()],
    unread: [],
    absent: [],
    ...changes,
  };
}
