import { type JsonPatchOp, type RunStrategy, unchangedSince, type VirtualMachine } from '../../../../api/index.ts';
import { MachineError, type RestorePolicy } from '../../../../protocols/machine/index.ts';
import type { MachinePair } from '../machine-objects.ts';
import { VmEditor, type VmEditorOptions } from '../vm-editor.ts';
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
  readonly #editor: VmEditor;

  constructor(options: VmEditorOptions) {
    this.#editor = new VmEditor(options);
  }

  /** Undefined: not known. */
  policyOf(cached: VirtualMachine): RestorePolicy | undefined {
    return POLICIES[runStrategyOf(this.#editor.latest(cached))];
  }

  /**
   * Resolves to whether anything has changed.
   *
   * @param deadline aborts all requests
   * @throws MachineError
   */
  async set(policy: RestorePolicy, deadline: AbortSignal): Promise<boolean> {
    return await this.#editor.edit(({ vm, vmi }) => {
      const wanted = decideRestorePolicy(policy, vm, vmi);
      return wanted === undefined ? [] : strategyPatch(vm, wanted);
    }, deadline);
  }
}

/** Guarded by the resource version: of a machine that is being stopped, KubeVirt would take the new strategy as a start. */
export function strategyPatch(vm: VirtualMachine, strategy: RunStrategy): JsonPatchOp[] {
  return [
    unchangedSince(vm),
    ...(vm.spec.running === undefined ? [] : [{ op: 'remove', path: '/spec/running' } as const]),
    { op: 'add', path: '/spec/runStrategy', value: strategy },
  ];
}
