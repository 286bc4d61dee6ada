import {
  type JsonPatchOp,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
} from '../../../../api/index.ts';
import { type KubeClient, objectPath, type ObjectRef, type RequestOptions } from '@groundcrew/controller-runtime';

/** One write that changes a VM's power, as KubeVirt takes it. */
export type PowerCall =
  | { subresource: 'start' }
  /** `gracePeriod` in seconds; 0: cut the power; absent: ACPI shutdown, then kill after the VM's grace period. */
  | { subresource: 'stop'; gracePeriod?: number }
  /** Creates a VMI from the current template. KubeVirt accepts no grace period but 0. */
  | { subresource: 'restart'; gracePeriodSeconds: 0 }
  /** The reset button: same VMI, same domain XML. KubeVirt ≥ 1.5. */
  | { subresource: 'reset' }
  /** Asks the guest's agent to reboot, or presses the ACPI power button and resets instead of powering off; same VMI. */
  | { subresource: 'softreboot' }
  /** Stops the guest's processors, and lets them continue. */
  | { subresource: 'pause' | 'unpause' }
  /** What `start` and `stop` write for Always and Halted VMs; for states in which these calls are refused. */
  | { runStrategy: 'Always' | 'Halted' };

/**
 * What a power action requires.
 *
 * - `nothing`: the machine is in the requested state, or on the way to it.
 * - `wait`: KubeVirt is about to change the machine and takes no suitable call before; decide again then.
 * - `call`: one call; `isFirst`: then decide again.
 * - `power on after`: note the uid, then `stop` if given; power on when the VMI with this uid has ended.
 * - `refuse`: it is impossible; `message` tells the client why.
 */
export type PowerDecision =
  | { do: 'nothing' }
  | { do: 'wait' }
  | { do: 'call'; call: PowerCall; isFirst?: true }
  | { do: 'power on after'; uid: string; stop?: PowerCall }
  | { do: 'refuse'; code: 'Busy' | 'InvalidState' | 'NotSupported' | 'Unavailable'; message: string };

export type Subresource = Extract<PowerCall, { subresource: string }>['subresource'];

/**
 * Whether the next decision shows if the call was carried out: its effect is in the VM and VMI. A second reset or reboot
 * would disturb a guest that is already booting.
 */
export function leavesTrace(call: PowerCall): boolean {
  return !('subresource' in call) || (call.subresource !== 'reset' && call.subresource !== 'softreboot');
}

/** Subresources of the VMI; all others belong to the VM. */
const OF_INSTANCES: ReadonlySet<Subresource> = new Set<Subresource>(['reset', 'softreboot', 'pause', 'unpause']);

/**
 * Sends one call.
 *
 * @param vm as read; a patch fails if it has changed
 *
 * @throws ApiError, TransportError
 */
export async function performPowerCall(
  client: KubeClient,
  machine: ObjectRef,
  call: PowerCall,
  vm: VirtualMachine,
  options: RequestOptions = {},
): Promise<void> {
  if ('runStrategy' in call) {
    await client.patch(VIRTUAL_MACHINES, machine, 'json', runStrategyPatch(vm, call.runStrategy), options);
    return;
  }
  const { subresource, ...body } = call;
  await putSubresource(client, machine, subresource, body, options);
}

/** @throws ApiError, TransportError */
export async function putSubresource(
  client: KubeClient,
  machine: ObjectRef,
  subresource: Subresource,
  body: object,
  options: RequestOptions = {},
): Promise<void> {
  const kind = OF_INSTANCES.has(subresource) ? VIRTUAL_MACHINE_INSTANCES : VIRTUAL_MACHINES;
  await client.request({
    method: 'PUT',
    path: objectPath({ ...kind, group: 'subresources.kubevirt.io' }, machine, subresource),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...options,
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
