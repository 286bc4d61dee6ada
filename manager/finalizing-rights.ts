import {
  aborted,
  ROLE_BINDINGS,
  unlessGone,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_NETWORK_CONFIGS } from '../api/index.ts';
import { isRefusal } from './refusal.ts';

export interface FinalizingRightsOptions {
  client: KubeClient;
  /** The watched namespaces. */
  namespaces: readonly string[];
  /** ClusterRole with the manager's permissions. */
  role: string;
  /** The manager's service account. */
  account: Required<ObjectRef>;
  logger: Logger;
}

/** The RoleBinding, and its finalizer. */
const NAME = 'groundcrew-finalizers';
const FINALIZER = 'bmc.kubevirt.io/finalizers';

/** Kinds with finalizers of the manager. */
const FINALIZED: readonly Kind<KubeObject>[] = [VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_NETWORK_CONFIGS];

/**
 * The manager's permissions in a namespace of `watchNamespaces`, for as long as objects there have its finalizers. The deletion of a
 * namespace deletes all objects in any order, also the RoleBinding of the chart; without permissions the manager could not remove its
 * finalizers, and the namespace would stay for ever. So the manager creates another RoleBinding, with a finalizer, before the first of
 * its finalizers, and deletes it after the last one.
 */
export class FinalizingRights {
  readonly #options: FinalizingRightsOptions;
  readonly #held = new Set<string>();
  /** The last call for a namespace: one after the other. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(options: FinalizingRightsOptions) {
    this.#options = options;
  }

  /** Removes what earlier managers have left in namespaces without such objects; then waits for the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { namespaces, logger } = this.#options;
    for (const namespace of namespaces) {
      await this.settle(namespace).catch((error: unknown) => {
        logger.warn({ err: error, namespace }, `RoleBinding ${NAME} was not checked`);
      });
    }
    await aborted(signal);
  }

  /** Whether objects of the namespace may get a finalizer now. Only the leader knows. */
  holds(namespace: string): boolean {
    return this.#held.has(namespace);
  }

  /**
   * Call it before an object of the namespace gets a finalizer.
   *
   * @throws ApiError, TransportError if the server fails; a refusal is logged
   */
  async hold(namespace: string): Promise<void> {
    if (this.#held.has(namespace)) return;
    await this.#inTurn(namespace, async () => {
      // Another reconcile may have waited for its turn too.
      if (!this.#held.has(namespace)) await this.#bind(namespace);
    });
  }

  /**
   * Call it when an object with a finalizer is gone.
   *
   * @throws ApiError, TransportError
   */
  async settle(namespace: string): Promise<void> {
    await this.#inTurn(namespace, async () => {
      const { client } = this.#options;
      for (const kind of FINALIZED) {
        if ((await client.list(kind, { namespace, limit: 1 })).items.length > 0) return;
      }
      this.#held.delete(namespace);
      const ref = { namespace, name: NAME };
      if ((await client.find(ROLE_BINDINGS, ref)) === undefined) return;
      await unlessGone(async () => {
        // Deleted first, for another manager must not take it for one that stays.
        await client.delete(ROLE_BINDINGS, ref);
        await client.patch(ROLE_BINDINGS, ref, 'merge', { metadata: { finalizers: null } });
      });
    });
  }

  async #bind(namespace: string): Promise<void> {
    const { client, role, account, logger } = this.#options;
    const metadata = {
      namespace,
      name: NAME,
      labels: { 'app.kubernetes.io/managed-by': 'groundcrew' },
      finalizers: [FINALIZER],
    };
    const binding = {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    };
    try {
      await client.apply(ROLE_BINDINGS, binding, { force: true });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      logger.warn({ err: error, namespace }, 'without this RoleBinding the deletion of the namespace may not end');
    }
    this.#held.add(namespace);
  }

  async #inTurn(namespace: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(namespace) ?? Promise.resolve()).then(work);
    this.#turns.set(
      namespace,
      turn.catch(() => undefined),
    );
    await turn;
  }
}
