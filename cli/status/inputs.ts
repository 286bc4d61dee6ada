import {
  ApiError,
  isNotFound,
  TransportError,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Selection,
} from '@groundcrew/controller-runtime';
import { probeWebhook, WEBHOOK_CONFIGURATIONS, type WebhookFact } from './probe-webhook.ts';
import { OUR_WEBHOOKS, selections, type ObjectLists, type Scope } from './selections.ts';

/** The cluster objects that the status shows, and what could not be read. */
export interface Inputs extends ObjectLists {
  /** Milliseconds since 1970, by the clock of the API server. */
  now: number;
  webhooks: WebhookFact[];
  /** Kinds that could not be read; their lists are empty or incomplete. */
  unread: Unread[];
  /** Kinds that the cluster does not have. */
  absent: string[];
}

/** What is not known. */
export type Missing = Pick<Inputs, 'unread' | 'absent'>;

export interface Unread {
  kind: string;
  /** Absent: in all namespaces. */
  namespace?: string;
  reason: 'Forbidden' | 'Unavailable';
  message: string;
}

const PAGE = 500;

export interface Selected extends Scope {
  /** Milliseconds for all reads; default 20,000. */
  timeout?: number;
}

/**
 * Reads the objects from the cluster, all kinds at the same time. A kind that cannot be read is in `unread`.
 *
 * @throws TransportError, ApiError if the API server does not answer or does not know the user
 */
export async function loadInputs(client: KubeClient, { timeout = 20_000, ...scope }: Selected = {}): Promise<Inputs> {
  const signal = AbortSignal.timeout(timeout);
  const now = await serverTime(client, signal);
  const gaps = new Gaps();
  const all = async <T extends KubeObject>(kind: Kind<T>, selection: Selection): Promise<T[]> => {
    const items: T[] = [];
    let page: string | undefined;
    try {
      do {
        const next = page === undefined ? {} : { continue: page };
        const list = await client.list(kind, { ...selection, limit: PAGE, signal, ...next });
        items.push(...list.items);
        page = list.metadata.continue;
      } while (page !== undefined && page !== '');
    } catch (error) {
      gaps.add(kind.kind, selection.namespace, error);
    }
    return items;
  };
  const webhooks = async (): Promise<WebhookFact[]> => {
    const configurations = await all(WEBHOOK_CONFIGURATIONS, OUR_WEBHOOKS);
    const facts = configurations.map((one) =>
      probeWebhook(client, one).catch((error: unknown) => {
        gaps.add(WEBHOOK_CONFIGURATIONS.kind, undefined, error);
        return undefined;
      }),
    );
    return (await Promise.all(facts)).filter((fact) => fact !== undefined);
  };
  const lists = Object.entries(selections(scope)).map(async ([name, { kind, parts }]) => {
    const objects = await Promise.all(parts.map((part) => all(kind as Kind<KubeObject>, part)));
    return [name, objects.flat()] as const;
  });
  const [objects, facts] = await Promise.all([Promise.all(lists), webhooks()]);
  // The table of selections has the kind of each list.
  return { ...(Object.fromEntries(objects) as unknown as ObjectLists), now, webhooks: facts, ...gaps.told() };
}

/** What could not be read. */
export class Gaps {
  readonly #unread = new Map<string, Unread>();
  readonly #absent = new Set<string>();

  /** @throws errors that are not about the cluster */
  add(kind: string, namespace: string | undefined, error: unknown): void {
    if (isNotFound(error)) {
      this.#absent.add(kind);
      return;
    }
    const one = { kind, ...(namespace === undefined ? {} : { namespace }), ...failureOf(error) };
    this.#unread.set(`${kind} ${namespace ?? ''}`, one);
  }

  told(): Missing {
    return { unread: [...this.#unread.values()], absent: [...this.#absent] };
  }
}

/** The clock of this machine may be wrong, so ages are counted by that of the API server, if it tells it. */
export async function serverTime(client: KubeClient, signal: AbortSignal): Promise<number> {
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
