import { type JsonPatchOp, type RunStrategy, VIRTUAL_MACHINES, type VirtualMachine } from '../../../../api/index.ts';
import type { RequestOptions } from '@groundcrew/controller-runtime';
import { MachineError, type RestorePolicy } from '../../../../protocols/machine/index.ts';
import { newerOf } from '../../objects/object-version.ts';
import { assertThere, changeMachine, type MachineContext, type MachinePair, readMachine } from '../machine-objects.ts';
import { powerInputsOf, runStrategyOf } from './power-inputs.ts';

/**
 * What KubeVirt does with a VM when its cluster starts after an outage, according to its run strategy. Power-off changes
 * `Always` to `Halted`.
 */
const POLICIES: Partial<Record<RunStrategy, RestorePolicy>> = {
  Always: 'AlwaysOn',
  RerunOnFailure: 'Previous',
  Halted: 'AlwaysOff',
  Manual: 'AlwaysOff',
  Once: 'AlwaysOff',
};

/** The run strategies that have a policy and leave a running guest alone. */
const STRATEGIES = {
  AlwaysOn: 'Always',
  Previous: 'RerunOnFailure',
  AlwaysOff: 'Manual',
} as const satisfies Record<RestorePolicy, RunStrategy>;

/**
 * The run strategy to write for a policy; undefined: the VM has the policy.
 *
 * @throws MachineError `InvalidState` if KubeVirt would start a machine that is off, `Busy` during a transition
 */
export function decideRestorePolicy(
  policy: RestorePolicy,
  vm: VirtualMachine,
  vmi: MachinePair['vmi'],
): RunStrategy | undefined {
  const { state, strategy, comingBack } = powerInputsOf(vm, vmi);
  if (POLICIES[strategy] === policy) return undefined;
  if (POLICIES[strategy] === undefined) {
    throw new MachineError('InvalidState', `the virtual machine has the run strategy ${strategy}: its owner sets it`);
  }
  if (state === 'PoweringOn' || state === 'PoweringOff' || comingBack) {
    throw new MachineError('Busy', 'the virtual machine is powering on or off: try again when it is done');
  }
  const wanted = STRATEGIES[policy];
  if (state === 'Off' && wanted !== 'Manual') {
    const message = `the virtual machine is off, and KubeVirt starts it with the run strategy ${wanted}: power it on first`;
    throw new MachineError('InvalidState', message);
  }
  return wanted;
}

/** The restore policy of one VM, which is its run strategy. */
export class RestorePolicyControl {
  readonly #options: Pick<MachineContext, 'client' | 'machine' | 'status' | 'clock' | 'signal'>;
  /** The VM after the last write of this process; watches may be stale. */
  #written: VirtualMachine | undefined;

  constructor(options: Pick<MachineContext, 'client' | 'machine' | 'status' | 'clock' | 'signal'>) {
    this.#options = options;
  }

  /** Undefined: not known. */
  policyOf(cached: VirtualMachine): RestorePolicy | undefined {
    return POLICIES[runStrategyOf(newerOf(cached, this.#written))];
  }

  /**
   * Resolves to whether anything has changed.
   *
   * @param deadline aborts all requests
   * @throws MachineError
   */
  async set(policy: RestorePolicy, deadline: AbortSignal): Promise<boolean> {
    return await changeMachine(() => this.#attempt(policy, { signal: deadline }), this.#options);
  }

  async #attempt(policy: RestorePolicy, bounds: RequestOptions): Promise<boolean> {
    const { client, machine, status } = this.#options;
    const bmc = await status.read(bounds);
    const { vm, vmi } = await readMachine(client, machine, bounds);
    assertThere(bmc, vm);
    const wanted = decideRestorePolicy(policy, vm, vmi);
    if (wanted === undefined) return false;
    this.#written = await client.patch(VIRTUAL_MACHINES, machine, 'json', strategyPatch(vm, wanted), bounds);
    return true;
  }
}

/** Guarded by the resource version: of a machine that is being stopped, KubeVirt would take the new strategy as a start. */
export function strategyPatch({ metadata, spec }: VirtualMachine, strategy: RunStrategy): JsonPatchOp[] {
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    ...(spec.running === undefined ? [] : [{ op: 'remove', path: '/spec/running' } as const]),
    { op: 'add', path: '/spec/runStrategy', value: strategy },
  ];
}
