import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  self,
  source,
  unlessGone,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Pod,
  type Result,
} from '@groundcrew/controller-runtime';
import { launcherOf, MIGRATION_JOB } from './launcher-pod.ts';
import type { Launchers } from './launchers.ts';
import type { Nodes } from '../kubevirt/nodes.ts';
import {
  MIGRATIONS,
  VIRTUAL_MACHINE_INSTANCES,
  type Migration,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';
import { decideMigration, hasCompleted, type MigrationDecision } from './migration-decision.ts';

export interface MigrationControllerOptions {
  client: KubeClient;
  migrations: Cache<Migration>;
  instances: Cache<VirtualMachineInstance>;
  launchers: Launchers;
  nodes: Nodes;
  events: EventRecorder;
  clock: Clock;
  /** Milliseconds to copy the memory of a guest. */
  migrationTime: number;
  logger: Logger;
}

/** Moves instances from node to node: virt-controller's part of a live migration, and both virt-handlers'. */
export class MigrationController {
  readonly #options: MigrationControllerOptions;
  readonly #controller: Controller;
  /** Migrations, by uid, whose target has been created. */
  readonly #targets = new Set<string>();
  /** Start of the copy by uid: timestamps in the object have only seconds. */
  readonly #begun = new Map<string, number>();

  constructor(options: MigrationControllerOptions) {
    this.#options = options;
    const { migrations, instances, launchers, clock, logger } = options;
    this.#controller = new Controller({
      name: 'virtualmachineinstancemigration',
      reconcile: (ref) => unlessGone(() => this.#step(ref)),
      sources: [
        source(migrations, self),
        source(instances, (vmi) => this.#activeOf(vmi.metadata)),
        source(launchers.cache, (pod) => this.#activeOf({ ...pod.metadata, name: instanceNameOf(pod) })),
      ],
      clock,
      logger,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#controller.run(signal);
  }

  /** Reconciles all migrations after a node has changed. */
  enqueueAll(): void {
    for (const { metadata } of this.#options.migrations.list()) this.#controller.enqueue(metadata);
  }

  #activeOf({ namespace, name }: ObjectRef): ObjectRef[] {
    return this.#options.migrations
      .list(namespace)
      .filter((migration) => migration.spec.vmiName === name && !hasCompleted(migration))
      .map(({ metadata }) => metadata);
  }

  async #step(ref: ObjectRef): Promise<Result | undefined> {
    const { migrations, instances, launchers, nodes, clock, migrationTime } = this.#options;
    const migration = migrations.get(ref);
    if (migration === undefined) return undefined;
    const { namespace, uid = '' } = migration.metadata;
    const name = migration.spec.vmiName;
    const vmi = instances.get(namespace === undefined ? { name } : { namespace, name });
    const pods = vmi === undefined ? [] : launchers.of(vmi);
    const target = pods.find((pod) => pod.metadata.labels?.[MIGRATION_JOB] === uid);
    if (migration.status?.phase === 'Running' && !this.#begun.has(uid)) this.#begun.set(uid, clock.now());
    const decision = decideMigration({
      migration,
      vmi,
      source: vmi === undefined ? undefined : launcherOf(vmi, pods),
      target,
      targetExpected: this.#targets.has(uid) && target === undefined,
      freeNode: nodes.choose((node) => launchers.countOn(node), vmi?.status?.nodeName),
      isReachable: (node) => nodes.isReachable(node),
      startedAt: this.#begun.get(uid),
      migrationTime,
      now: clock.now(),
    });
    await this.#apply(decision, migration, vmi);
    return decision.retryAfter === undefined ? undefined : { requeueAfter: decision.retryAfter };
  }

  async #apply(
    { next, vmi: changed, pods, event }: MigrationDecision,
    migration: Migration,
    vmi: VirtualMachineInstance | undefined,
  ): Promise<void> {
    const { client, launchers, events } = this.#options;
    const { uid = '' } = migration.metadata;
    if (changed !== undefined) await client.replace(VIRTUAL_MACHINE_INSTANCES, changed);
    if (vmi !== undefined) {
      for (const action of pods) {
        if (action.type !== 'create') await launchers.act(action, vmi, vmi.status?.interfaces ?? []);
        else {
          this.#targets.add(uid);
          await launchers.create(vmi, action.node, uid);
        }
      }
      if (event !== undefined) events.event(vmi, event.type, event.reason, event.message);
    }
    if (next === undefined) return;
    const subresource = isDeepStrictEqual(next.status, migration.status) ? {} : { subresource: 'status' as const };
    await client.replace(MIGRATIONS, next, subresource);
    if (!hasCompleted(next)) return;
    this.#targets.delete(uid);
    this.#begun.delete(uid);
  }
}

function instanceNameOf(pod: Pod): string {
  return pod.metadata.labels?.['vm.kubevirt.io/name'] ?? '';
}
