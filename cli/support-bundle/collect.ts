import {
  ANNOTATIONS,
  DATA_VOLUMES,
  LABELS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINES,
} from '../../api/index.ts';
import {
  EVENTS,
  objectPath,
  PODS,
  readStart,
  SECRETS,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Pod,
  type Secret,
  type Transport,
} from '@groundcrew/controller-runtime';
import { painter } from '../paint.ts';
import { evaluate } from '../status/evaluate.ts';
import { loadInputs, type Inputs } from '../status/inputs.ts';
import { render } from '../status/render.ts';
import { cleaned, redactor } from './redact.ts';

/** One file of the bundle. */
export interface BundleFile {
  path: string;
  text: string;
}

export interface CollectOptions {
  client: KubeClient;
  transport: Transport;
  namespace?: string | undefined;
  /** Ends all reads. */
  signal: AbortSignal;
  /** Texts that must not be in the bundle, besides the values of Secrets. */
  secretTexts: readonly string[];
  /** Versions of this program. */
  versions: object;
}

/** Limits of one read. */
const READ_TIMEOUT = 15_000;
const MAX_READ = 2 * 1024 * 1024;
const LOG_LINES = 5_000;
const PAGE = 500;
/** Reads at the same time. */
const PARALLEL = 8;
const METRICS_PORTS: Readonly<Record<string, number>> = { manager: 8080 };
const AGENT_PORT = 10_080;

/**
 * Reads what is needed to find a fault, redacted. A failed read becomes a file with the error. The most useful come first: the
 * bundle may have to end before the last.
 *
 * @throws TransportError, ApiError if the API server does not answer or does not know the user
 */
export async function* collect(options: CollectOptions): AsyncGenerator<BundleFile, void> {
  const { client, namespace, signal } = options;
  const inputs = await loadInputs(client, { namespace });
  const places = placesOf(inputs);
  const secrets = await Promise.all(places.map((place) => everything(client, SECRETS, place, signal)));
  const known = secrets.flatMap(({ items }) => items);
  const redact = redactor(known, options.secretTexts);
  const jobs: Job[] = [
    job('versions.json', async () => json({ ...options.versions, ...(await serverVersions(options)) })),
    job('status.txt', () => render(evaluate(inputs), { wide: true, width: Infinity, paint: painter(false) })),
    job('status.json', () => json(evaluate(inputs))),
    job('secrets.json', () => json(known.map(outlineOf))),
    ...places.flatMap((place, index) => failure(`secrets/${place}.json`, secrets[index]?.error)),
    ...objectJobs(inputs),
    ...places.flatMap((place) =>
      [EVENTS, DATA_VOLUMES, NETWORK_ATTACHMENT_DEFINITIONS].map((kind) =>
        job(`${kind === EVENTS ? 'events' : `objects/${kind.plural}`}/${place}.json`, async () => {
          const { items, error } = await everything<KubeObject>(client, kind, place, signal);
          if (error !== undefined) throw error;
          return json(cleaned(items));
        }),
      ),
    ),
    ...inputs.pods.map((pod) => job(`metrics/${nameOf(pod)}.txt`, () => text(options, metricsPath(pod)))),
    ...inputs.pods.flatMap((pod) => logJobs(pod, options)),
  ];
  for (let at = 0; at < jobs.length; at += PARALLEL) {
    const files = await Promise.all(jobs.slice(at, at + PARALLEL).map((each) => each()));
    yield* files.map((file) => ({ ...file, text: redact(file.text) }));
  }
}

/** Makes one file. Never rejects. */
type Job = () => Promise<BundleFile>;

function job(path: string, work: () => string | Promise<string>): Job {
  return async () => {
    try {
      return { path, text: await work() };
    } catch (error) {
      return { path: `${path}.error.txt`, text: `This could not be read: ${reasonOf(error)}\n` };
    }
  };
}

function failure(path: string, error: Error | undefined): Job[] {
  if (error === undefined) return [];
  return [
    job(path, () => {
      throw error;
    }),
  ];
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The namespaces of all objects that the status shows. */
function placesOf({ bmcs, pools, leases, networkConfigs, pods, deployments, elections }: Inputs): string[] {
  const all: KubeObject[] = [...bmcs, ...pools, ...leases, ...networkConfigs, ...pods, ...deployments, ...elections];
  return [...new Set(all.map(({ metadata }) => metadata.namespace).filter((place) => place !== undefined))].sort();
}

function objectJobs(inputs: Inputs): Job[] {
  const { bmcs, networkConfigs, virtualMachines, instances, unread } = inputs;
  const { pools, leases, services, pods, deployments, statefulSets, elections, rollouts, webhooks } = inputs;
  const machines = new Set([
    ...bmcs.map(({ metadata, spec }) => `${metadata.namespace ?? ''}/${spec.virtualMachineRef.name}`),
    ...networkConfigs.map(({ metadata, spec }) => `${metadata.namespace ?? ''}/${spec.vmName}`),
  ]);
  const isOurs = ({ metadata: { namespace = '', name, annotations, labels } }: KubeObject): boolean =>
    machines.has(`${namespace}/${name}`) ||
    // One that requests a BMC may have none.
    annotations?.[ANNOTATIONS.bmcEnabled] !== undefined ||
    labels?.[LABELS.bmcState] !== undefined;
  const lists = {
    ...{ virtualmachinebmcs: bmcs, ippools: pools, ipleases: leases, virtualmachinenetworkconfigs: networkConfigs },
    ...{
      agentrollouts: rollouts,
      deployments,
      statefulsets: statefulSets,
      pods,
      services,
      leases: elections,
      webhooks,
    },
    [VIRTUAL_MACHINES.plural]: virtualMachines.filter(isOurs),
    virtualmachineinstances: instances.filter(isOurs),
  };
  return [
    ...Object.entries(lists).map(([plural, items]) => job(`objects/${plural}.json`, () => json(cleaned(items)))),
    ...unread.flatMap(({ kind, namespace, message }) =>
      failure(`objects/${kind}${namespace === undefined ? '' : `-${namespace}`}`, new Error(message)),
    ),
  ];
}

async function everything<T extends KubeObject>(
  client: KubeClient,
  kind: Kind<T>,
  namespace: string,
  signal: AbortSignal,
): Promise<{ items: T[]; error?: Error }> {
  const items: T[] = [];
  let page: string | undefined;
  try {
    do {
      const next = page === undefined ? {} : { continue: page };
      const list = await client.list(kind, { namespace, limit: PAGE, signal: inTime(signal), ...next });
      items.push(...list.items);
      page = list.metadata.continue;
    } while (page !== undefined && page !== '');
  } catch (error) {
    return { items, error: error instanceof Error ? error : new Error(String(error)) };
  }
  return { items };
}

/** Name, type and keys of a Secret. */
function outlineOf({ metadata: { namespace, name }, type, data = {} }: Secret): object {
  return { namespace, name, type, keys: Object.keys(data) };
}

async function serverVersions({ client, signal }: CollectOptions): Promise<object> {
  const get = async (path: string): Promise<unknown> => {
    try {
      return await client.request({ method: 'GET', path, signal: inTime(signal) });
    } catch (error) {
      return reasonOf(error);
    }
  };
  const [kubernetes, kubevirts] = await Promise.all([get('/version'), get('/apis/kubevirt.io/v1/kubevirts')]);
  return { kubernetes, kubevirts: cleaned(kubevirts) };
}

function logJobs(pod: Pod, options: CollectOptions): Job[] {
  const path = `${objectPath(PODS, pod.metadata)}/log?tailLines=${LOG_LINES}&limitBytes=${MAX_READ}`;
  const log = (container: string, query: string): string =>
    `${path}&container=${encodeURIComponent(container)}${query}`;
  const restarted = new Set(
    (pod.status?.containerStatuses ?? []).filter(({ restartCount }) => restartCount > 0).map(({ name }) => name),
  );
  return (pod.spec?.containers ?? []).flatMap(({ name }) => [
    job(`logs/${nameOf(pod)}/${name}.log`, () => text(options, log(name, ''))),
    ...(restarted.has(name)
      ? [job(`logs/${nameOf(pod)}/${name}.previous.log`, () => text(options, log(name, '&previous=true')))]
      : []),
  ]);
}

/** By the API server: the network of the pods is often not reachable from here. */
function metricsPath({ metadata }: Pod): string {
  const port = METRICS_PORTS[metadata.labels?.[LABELS.component] ?? ''] ?? AGENT_PORT;
  return `${objectPath(PODS, { ...metadata, name: `${metadata.name}:${port}` })}/proxy/metrics`;
}

/** Reads a text up to {@link MAX_READ}: what a pod answers is not trusted. */
async function text({ transport, signal }: CollectOptions, path: string): Promise<string> {
  const { status, body } = await transport.request({ method: 'GET', path, signal: inTime(signal) });
  const all = await readStart(body, MAX_READ);
  if (status !== 200) throw new Error(`HTTP ${status}: ${all.slice(0, 2_000)}`);
  return all;
}

function inTime(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT)]);
}

function nameOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
