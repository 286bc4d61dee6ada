import { isDeepStrictEqual } from 'node:util';
import {
  BMC_FINALIZER,
  credentialsSecretName,
  eventLogName,
  LABELS,
  stateSecretName,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  type BMCState,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import {
  annotationsChanged,
  CONFIG_MAPS,
  Controller,
  isAlreadyExists,
  isNotFound,
  keyOf,
  labelsChanged,
  or,
  SECRETS,
  self,
  source,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type KubeObject,
  type Kind,
  type Logger,
  type Metrics,
  type ObjectMeta,
  type ObjectRef,
  type Predicate,
  type Result,
} from '@groundcrew/controller-runtime';
import { isRefusal } from '../refusal.ts';
import { BMCS_BY_VIRTUAL_MACHINE } from '../virtualmachinebmc/index.ts';
import { decide, isOurs, isRequested, refused, type Decision, type Inputs } from './decide.ts';

export interface OptInOptions {
  /** Name in logs and metrics. */
  name: string;
  client: KubeClient;
  caches: { bmcs: Cache<VirtualMachineBMC>; virtualMachines: Cache<KubeObject> };
  /** Give each VM a BMC, unless its annotation says otherwise. */
  autoProvision: boolean;
  /** Whether new BMCs of a namespace may get the manager's finalizer at once. */
  mayFinalize: (namespace: string) => boolean;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
  metrics?: Metrics | undefined;
}

/** Concurrent reconciles: with `autoProvision` all VMs are handled at once. */
const WORKERS = 4;

/** Milliseconds until the next attempt after a problem that no watch reports. */
const LOOK_AGAIN = 60_000;

/** The controller that makes BMCs for the virtual machines that request one, and labels these with their state. */
export function optInController(options: OptInOptions): Controller {
  const { name, caches, clock, logger, metrics } = options;
  const reconciler = new OptInReconciler(options);
  return new Controller({
    name,
    reconcile: async (ref) => await reconciler.reconcile(ref),
    sources: [
      source(caches.virtualMachines, self, or(annotationsChanged, labelsChanged)),
      source(caches.bmcs, virtualMachinesOf, standingChanged),
    ],
    workers: WORKERS,
    clock,
    logger,
    metrics,
  });
}

/** The VM that a BMC names, and the VM that would have a BMC of this name. */
function virtualMachinesOf({ metadata: { namespace = '', name }, spec }: VirtualMachineBMC): ObjectRef[] {
  return [...new Set([spec.virtualMachineRef.name, name])].map((vm) => ({ namespace, name: vm }));
}

/** Ignores the frequent changes of the status that concern neither phase nor owner. */
const standingChanged: Predicate<VirtualMachineBMC> = (change) =>
  change.type !== 'modified' || !isDeepStrictEqual(standing(change.object), standing(change.previous));

function standing({ metadata, spec, status }: VirtualMachineBMC) {
  const { labels, annotations, ownerReferences, deletionTimestamp } = metadata;
  return { labels, annotations, ownerReferences, deletionTimestamp, vm: spec.virtualMachineRef, phase: status?.phase };
}

class OptInReconciler {
  readonly #options: OptInOptions;

  constructor(options: OptInOptions) {
    this.#options = options;
  }

  async reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const inputs = await this.#loadInputs(ref);
    if (inputs === undefined) return undefined;
    const planned = decide(inputs);
    if (planned.remove !== undefined) await this.#remove(planned.remove, inputs.vm);
    const decision = await this.#create(planned, inputs.vm);
    if (decision.complaint !== undefined) {
      const { reason, message } = decision.complaint;
      this.#options.events.event(inputs.vm, 'Warning', reason, message);
    }
    const isLabelled = await this.#label(inputs.vm, decision.state);
    const isBlocked = decision.complaint !== undefined && (inputs.taken.length > 0 || decision !== planned);
    return isBlocked || !isLabelled ? { requeueAfter: LOOK_AGAIN } : undefined;
  }

  async #loadInputs(ref: ObjectRef): Promise<Inputs | undefined> {
    const { caches, autoProvision } = this.#options;
    const vm = caches.virtualMachines.get(ref);
    // The BMC of a deleted VM is garbage-collected by owner.
    if (vm === undefined || vm.metadata.deletionTimestamp !== undefined) return undefined;
    const namesake = caches.bmcs.get(ref);
    const others = caches.bmcs
      .byIndex(BMCS_BY_VIRTUAL_MACHINE, keyOf(ref))
      .filter(({ metadata }) => keyOf(metadata) !== keyOf(ref));
    const bmcs = [...others, ...(namesake === undefined ? [] : [namesake])];
    const known = { vm, bmcs, autoProvision };
    return { ...known, taken: bmcs.length === 0 && isRequested(known) ? await this.#taken(ref) : [] };
  }

  /**
   * Objects of others that the BMC would take for its own. Whoever may write BMCs may have that; whoever may only write VMs must not
   * get a login with the password in another's Secret, or have an agent write into it.
   */
  async #taken({ namespace = '', name }: ObjectRef): Promise<string[]> {
    const used: [Kind<KubeObject>, string][] = [
      [SECRETS, credentialsSecretName(name)],
      [SECRETS, stateSecretName(name)],
      [CONFIG_MAPS, eventLogName(name)],
    ];
    const found = await Promise.all(
      used.map(async ([kind, objectName]) => {
        const object = await this.#options.client.find(kind, { namespace, name: objectName });
        const isOfBmc = object?.metadata.ownerReferences?.some((owner) => owner.kind === VIRTUAL_MACHINE_BMCS.kind);
        return object === undefined || isOfBmc === true ? [] : [`${kind.kind} ${objectName}`];
      }),
    );
    return found.flat();
  }

  /** @returns the decision, or another one if the API server refuses the BMC */
  async #create(decision: Decision, vm: KubeObject): Promise<Decision> {
    const { client, events, logger, mayFinalize } = this.#options;
    const { create } = decision;
    if (create === undefined) return decision;
    // The webhook does not see the manager's own writes.
    const finalizers = mayFinalize(vm.metadata.namespace ?? '') ? [BMC_FINALIZER] : [];
    try {
      await client.create(VIRTUAL_MACHINE_BMCS, { ...create, metadata: { ...create.metadata, finalizers } });
    } catch (error) {
      // The cache will report it.
      if (isAlreadyExists(error)) return decision;
      if (!isRefusal(error)) throw error;
      return refused(error.serverMessage);
    }
    const { namespace = '', name } = vm.metadata;
    logger.info({ virtualMachine: `${namespace}/${name}` }, 'made the BMC that a VM requests');
    events.event(
      vm,
      'Normal',
      'BMCCreated',
      `Made VirtualMachineBMC ${name}. Its login is in Secret ${credentialsSecretName(name)}.`,
    );
    return decision;
  }

  /** Reads it again: the cache does not have managedFields. */
  async #remove({ metadata }: VirtualMachineBMC, vm: KubeObject): Promise<void> {
    const { client, events, logger } = this.#options;
    const { namespace = '', name } = metadata;
    const bmc = await client.find(VIRTUAL_MACHINE_BMCS, { namespace, name });
    if (bmc === undefined || !isOurs(bmc, vm) || isApplied(bmc, client.fieldManager)) return;
    const { uid = '', resourceVersion = '' } = bmc.metadata;
    try {
      await client.delete(VIRTUAL_MACHINE_BMCS, { namespace, name }, { uid, resourceVersion });
    } catch (error) {
      // Also a conflict with a write of its status: the controller tries again at once.
      if (!isRefusal(error)) throw error;
      events.event(vm, 'Warning', 'BMCNotRemoved', `VirtualMachineBMC ${name} was not deleted: ${error.serverMessage}`);
      return;
    }
    logger.info({ virtualMachine: `${namespace}/${name}` }, 'deleted the BMC that a VM no longer requests');
    events.event(vm, 'Normal', 'BMCRemoved', `Deleted VirtualMachineBMC ${name}: it is no longer requested.`);
  }

  /** @returns whether the VM has the label */
  async #label({ metadata }: KubeObject, state: BMCState | undefined): Promise<boolean> {
    if (metadata.labels?.[LABELS.bmcState] === state) return true;
    const { client, logger } = this.#options;
    const { namespace = '', name } = metadata;
    try {
      const labels = { [LABELS.bmcState]: state ?? null };
      await client.patch(VIRTUAL_MACHINES, { namespace, name }, 'merge', { metadata: { labels } });
    } catch (error) {
      if (isNotFound(error)) return true;
      if (!isRefusal(error)) throw error;
      logger.warn(
        { err: error, virtualMachine: `${namespace}/${name}` },
        'a VM was not labelled with the state of its BMC',
      );
      return false;
    }
    return true;
  }
}

/** Whether a user has applied a manifest of the BMC on the server's side, which makes it theirs. */
function isApplied({ metadata }: VirtualMachineBMC, ownManager: string): boolean {
  // The type omits managedFields.
  const { managedFields = [] } = metadata as ObjectMeta & { managedFields?: ManagedFields[] };
  return managedFields.some(
    ({ manager, operation, subresource = '' }) => operation === 'Apply' && subresource === '' && manager !== ownManager,
  );
}

interface ManagedFields {
  manager?: string;
  operation?: string;
  subresource?: string;
}
