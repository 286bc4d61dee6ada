import {
  type JsonPatchOp,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
} from '../../../../api/index.ts';
import { type KubeClient, objectPath, type ObjectRef } from '@groundcrew/controller-runtime';

/** One write that changes a VM's power, as KubeVirt takes it. */
export type PowerCall =
  | { subresource: 'start' }
  /** `gracePeriod` 0: cut the power; absent: ACPI shutdown, and killed after the VM's own grace period. */
  | { subresource: 'stop'; gracePeriod?: 0 }
  /** A VMI made from the VM's template as it is now; without grace, as KubeVirt takes no other number. */
  | { subresource: 'restart'; gracePeriodSeconds: 0 }
  /** The reset button: same VMI, same domain XML. KubeVirt ≥ 1.5. */
  | { subresource: 'reset' }
  /** Asks the guest's agent to reboot, or presses the ACPI power button and resets in place of the power-off that follows; same VMI. */
  | { subresource: 'softreboot' }
  /** Holds the guest's processors, and lets them go on. */
  | { subresource: 'pause' | 'unpause' }
  /** What start and stop write for Always and Halted VMs, in states in which they refuse to. */
  | { runStrategy: 'Always' | 'Halted' };

/**
 * What is to be done for a power action.
 *
 * - `nothing`: the machine is in the state that was asked for, or on the way to it.
 * - `call`: that one call.
 * - `power on after`: `stop` first where it is given; then, when the VMI of that uid has ended, power on.
 * - `refuse`: it cannot be done; why, for the one who asked.
 */
export type PowerDecision =
  | { do: 'nothing' }
  | { do: 'call'; call: PowerCall }
  | { do: 'power on after'; uid: string; stop?: PowerCall }
  | { do: 'refuse'; code: 'Busy' | 'InvalidState' | 'NotSupported' | 'Unavailable'; message: string };

export type Subresource = Extract<PowerCall, { subresource: string }>['subresource'];

/** Subresources of the VMI; all others are the VM's. */
const OF_INSTANCES: ReadonlySet<Subresource> = new Set<Subresource>(['reset', 'softreboot', 'pause', 'unpause']);

/**
 * Makes one call for the VM that was read.
 *
 * @throws ApiError, TransportError
 */
export async function performPowerCall(
  client: KubeClient,
  machine: ObjectRef,
  call: PowerCall,
  vm: VirtualMachine,
): Promise<void> {
  if ('runStrategy' in call) {
    await client.patch(VIRTUAL_MACHINES, machine, 'json', runStrategyPatch(vm, call.runStrategy));
    return;
  }
  const { subresource, ...body } = call;
  await putSubresource(client, machine, subresource, body);
}

/** @throws ApiError, TransportError */
export async function putSubresource(
  client: KubeClient,
  machine: ObjectRef,
  subresource: Subresource,
  body: object,
): Promise<void> {
  const kind = OF_INSTANCES.has(subresource) ? VIRTUAL_MACHINE_INSTANCES : VIRTUAL_MACHINES;
  await client.request({
    method: 'PUT',
    path: objectPath({ ...kind, group: 'subresources.kubevirt.io' }, machine, subresource),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function runStrategyPatch(vm: VirtualMachine, strategy: 'Always' | 'Halted'): JsonPatchOp[] {
  const { running, runStrategy } = vm.spec;
  const [path, present, value] =
    runStrategy === undefined
      ? ['/spec/running', running, strategy === 'Always']
      : ['/spec/runStrategy', runStrategy, strategy];
  return [
    { op: 'test', path: '/metadata/uid', value: vm.metadata.uid },
    { op: 'test', path, value: present },
    { op: 'replace', path, value },
  ];
}
