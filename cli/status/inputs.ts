import {
  ApiError,
  DEPLOYMENTS,
  EVENTS,
  isNotFound,
  LEASES,
  PODS,
  SERVICES,
  STATEFUL_SETS,
  TransportError,
  type Deployment,
  type Event,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Lease,
  type ListOptions,
  type Pod,
  type Service,
  type StatefulSet,
} from '@groundcrew/controller-runtime';
import {
  AGENT_ROLLOUT_NAME,
  AGENT_ROLLOUTS,
  IP_LEASES,
  IP_POOLS,
  LABELS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type AgentRollout,
  type IPLease,
  type IPPool,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import { probeWebhook, WEBHOOK_CONFIGURATIONS, type WebhookFact } from './probe-webhook.ts';

/** The cluster objects that the status shows, and what could not be read. */
export interface Inputs {
  /** Milliseconds since 1970, by the clock of the API server. */
  now: number;
  bmcs: VirtualMachineBMC[];
  virtualMachines: VirtualMachine[];
  instances: VirtualMachineInstance[];
  /** Events on VirtualMachineBMCs. */
  events: Event[];
  pools: IPPool[];
  leases: IPLease[];
  networkConfigs: VirtualMachineNetworkConfig[];
  /** Services of BMCs. */
  services: Service[];
  /** Pods and Deployments of agents and managers. */
  pods: Pod[];
  deployments: Deployment[];
  /** Of shared agents. */
  statefulSets: StatefulSet[];
  /** Leases of the leader election of managers. */
  elections: Lease[];
  webhooks: WebhookFact[];
  rollouts: AgentRollout[];
  /** Kinds that could not be read; their lists are empty or incomplete. */
  unread: Unread[];
  /** Kinds that the cluster does not have. */
  absent: string[];
}

export interface Unread {
  kind: string;
  /** Absent: in all namespaces. */
  namespace?: string;
  reason: 'Forbidden' | 'Unavailable';
  message: string;
}

const PAGE = 500;
const COMPONENT = LABELS.component;

export interface Selected {
  /** Only objects of this namespace; managers are read in all. */
  namespace?: string | undefined;
  /** Pools, leases and DHCP agents in all namespaces, since those of a VM may be in another one. */
  networksEverywhere?: boolean;
  /** Milliseconds for all reads; default 20,000. */
  timeout?: number;
}

/**
 * Reads the objects from the cluster, all kinds at the same time. A kind that cannot be read is in `unread`.
 *
 * @throws TransportError, ApiError if the API server does not answer or does not know the user
 */
export async function loadInputs(
  client: KubeClient,
  { namespace, networksEverywhere, timeout = 20_000 }: Selected = {},
): Promise<Inputs> {
  const signal = AbortSignal.timeout(timeout);
  const now = await serverTime(client, signal);
  const unread: Unread[] = [];
  const absent: string[] = [];
  const fail = (kind: string, within: string | undefined, error: unknown): void => {
    if (isNotFound(error)) absent.push(kind);
    else unread.push({ kind, ...(within === undefined ? {} : { namespace: within }), ...failureOf(error) });
  };
  const all = async <T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<T[]> => {
    const items: T[] = [];
    let page: string | undefined;
    try {
      do {
        const next = page === undefined ? {} : { continue: page };
        const list = await client.list(kind, { ...options, limit: PAGE, signal, ...next });
        items.push(...list.items);
        page = list.metadata.continue;
      } while (page !== undefined && page !== '');
    } catch (error) {
      fail(kind.kind, options.namespace, error);
    }
    return items;
  };
  const here = namespace === undefined ? {} : { namespace };
  const there = networksEverywhere === true ? {} : here;
  const labelled = (component: string) => ({ labelSelector: `${COMPONENT}=${component}` });
  const probes = async (): Promise<WebhookFact[]> => {
    const ours = { labelSelector: `${LABELS.name}=groundcrew,${LABELS.managedBy}=groundcrew` };
    const configurations = await all(WEBHOOK_CONFIGURATIONS, ours);
    const facts = configurations.map((one) =>
      probeWebhook(client, one).catch((error: unknown) => {
        fail(WEBHOOK_CONFIGURATIONS.kind, undefined, error);
        return undefined;
      }),
    );
    return (await Promise.all(facts)).filter((fact) => fact !== undefined);
  };
  const agentsAndManagers = async <T extends KubeObject>(kind: Kind<T>): Promise<T[]> => {
    const parts = await Promise.all([
      all(kind, { ...here, ...labelled('bmc-agent') }),
      all(kind, { ...there, ...labelled('dhcp-agent') }),
      all(kind, labelled('manager')),
    ]);
    return parts.flat();
  };
  const [bmcs, virtualMachines, instances, events, pools, leases, networkConfigs, services, pods, deployments] =
    await Promise.all([
      all(VIRTUAL_MACHINE_BMCS, here),
      all(VIRTUAL_MACHINES, here),
      all(VIRTUAL_MACHINE_INSTANCES, here),
      all(EVENTS, { ...here, fieldSelector: 'involvedObject.kind=VirtualMachineBMC' }),
      all(IP_POOLS, there),
      all(IP_LEASES, there),
      all(VIRTUAL_MACHINE_NETWORK_CONFIGS, here),
      all(SERVICES, { ...here, ...labelled('bmc-agent') }),
      agentsAndManagers(PODS),
      agentsAndManagers(DEPLOYMENTS),
    ]);
  const [statefulSets, elections, rollouts, webhooks] = await Promise.all([
    all(STATEFUL_SETS, { ...here, labelSelector: LABELS.sharedAgent }),
    all(LEASES, { fieldSelector: 'metadata.name=groundcrew-manager' }),
    all(AGENT_ROLLOUTS, { fieldSelector: `metadata.name=${AGENT_ROLLOUT_NAME}` }),
    probes(),
  ]);
  const unique = new Map(unread.map((one) => [`${one.kind} ${one.namespace ?? ''}`, one]));
  return {
    ...{ now, bmcs, virtualMachines, instances, events, pools, leases, networkConfigs, services, pods, deployments },
    ...{ statefulSets, elections, rollouts, webhooks, unread: [...unique.values()], absent },
  };
}

/** The clock of this machine may be wrong, so ages are counted by that of the API server, if it tells it. */
async function serverTime(client: KubeClient, signal: AbortSignal): Promise<number> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    const answer = await client.request({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(review),
      signal,
    });
    // The API server has checked the type.
    const time = Date.parse((answer as Partial<KubeObject>).metadata?.creationTimestamp ?? '');
    return Number.isNaN(time) ? Date.now() : time;
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) return Date.now();
    if (signal.aborted) throw new TransportError('the API server does not answer in time', { cause: error });
    throw error;
  }
}

function failureOf(error: unknown): Pick<Unread, 'reason' | 'message'> {
  if (error instanceof ApiError)
    return { reason: error.status === 403 ? 'Forbidden' : 'Unavailable', message: error.serverMessage };
  if (error instanceof TransportError) return { reason: 'Unavailable', message: error.message };
  if (error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name))
    return { reason: 'Unavailable', message: 'the API server does not answer in time' };
  throw error;
}
