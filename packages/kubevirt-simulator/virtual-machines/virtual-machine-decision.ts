import type { Draft } from '@groundcrew/controller-runtime';
import type { StorageStatus } from '../hotplug/index.ts';
import { DEFAULT_ARCHITECTURE } from '../kubevirt/defaults.ts';
import {
  INSTANCE_FINALIZER,
  isFinal,
  VM_FINALIZER,
  type InstanceTemplate,
  type RunStrategy,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineStatus,
} from '../kubevirt/objects.ts';
import { runStrategyOf, startFailureAfter } from './run-strategy.ts';
import { statusOf } from './virtual-machine-status.ts';

/** The input of the controller about one VM. */
export interface VirtualMachineView {
  vm: VirtualMachine;
  vmi: VirtualMachineInstance | undefined;
  /** An instance was created or deleted, and the watch has not shown it yet. */
  expectation: 'start' | 'stop' | undefined;
  now: number;
  /** The state of its volumes. */
  storage: StorageStatus;
}

export type VirtualMachineAction =
  | { type: 'none' }
  | { type: 'create'; instance: Draft<VirtualMachineInstance> }
  | { type: 'delete'; uid: string }
  /** A paused start of a Halted VM: its strategy becomes Always. */
  | { type: 'setAlways' }
  | { type: 'addFinalizer' }
  | { type: 'removeFinalizer' };

export interface VirtualMachineDecision {
  action: VirtualMachineAction;
  /** The status to write once the action has succeeded. */
  status: VirtualMachineStatus;
  /** Remove the VM controller's finalizer from the instance: its end is in the status. */
  releaseInstance: boolean;
  /** Milliseconds until the next step; undefined: at the next change. */
  retryAfter?: number;
}

/** One step of a VM: the action on its instance, and its status (virt-controller `sync` and `updateStatus`). */
export function decideVirtualMachine(view: VirtualMachineView): VirtualMachineDecision {
  const { vm, vmi, now } = view;
  const { action, retryAfter, failure } = nextAction(view);
  const expectation = expectationAfter(action) ?? view.expectation;
  const { storage } = view;
  const status = statusOf({ vm, vmi, expectation, now, failure, storage, starting: action.type === 'create' });
  return {
    action,
    status,
    releaseInstance: vmi !== undefined && isFinal(vmi) && (vmi.metadata.finalizers ?? []).includes(VM_FINALIZER),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

interface Next {
  action: VirtualMachineAction;
  retryAfter?: number;
  failure?: { reason: string; message: string };
}

const NONE: Next = { action: { type: 'none' } };

function nextAction(view: VirtualMachineView): Next {
  const { vm, vmi } = view;
  if (view.expectation !== undefined) return NONE;
  const held = (vm.metadata.finalizers ?? []).includes(VM_FINALIZER);
  if (vm.metadata.deletionTimestamp !== undefined) {
    const orphans = (vm.metadata.finalizers ?? []).includes('orphan');
    if (vmi !== undefined && !orphans) return stop(vmi);
    return held ? { action: { type: 'removeFinalizer' } } : NONE;
  }
  if (!held) return { action: { type: 'addFinalizer' } };
  const strategy = runStrategyOf(vm.spec);
  if (strategy === undefined) {
    const message =
      'failure while starting VMI: the VM has no valid runStrategy: set exactly one of runStrategy and running';
    return { ...NONE, failure: { reason: 'FailedCreate', message } };
  }
  if (view.storage.isFilling === true && strategy !== 'Halted') return NONE;
  return NEXT_ACTION[strategy](view);
}

const NEXT_ACTION: Record<RunStrategy, (view: VirtualMachineView) => Next> = {
  Always: (view) => {
    if (view.vmi === undefined) return start(view);
    return isFinal(view.vmi) || stopIsRequested(view.vm, view.vmi) ? stop(view.vmi) : NONE;
  },
  RerunOnFailure: (view) => {
    if (view.vmi !== undefined) return isFinal(view.vmi) || stopIsRequested(view.vm, view.vmi) ? stop(view.vmi) : NONE;
    // After a change of the strategy, or for a new VM, it starts without a request.
    return startIsRequested(view.vm) || view.vm.status?.runStrategy !== 'RerunOnFailure' ? start(view) : NONE;
  },
  Manual: (view) => {
    if (view.vmi !== undefined) return stopIsRequested(view.vm, view.vmi) ? stop(view.vmi) : NONE;
    return startIsRequested(view.vm) ? start(view) : NONE;
  },
  Halted: (view) => {
    if (view.vmi !== undefined) return stop(view.vmi);
    return startIsRequested(view.vm) ? { action: { type: 'setAlways' } } : NONE;
  },
  Once: (view) => (view.vmi === undefined ? start(view) : NONE),
};

function start({ vm, vmi, now }: VirtualMachineView): Next {
  const failure = startFailureAfter(vm, vmi, now);
  const wait = failure === undefined ? 0 : Date.parse(failure.retryAfterTimestamp) - now;
  if (wait > 0) return { ...NONE, retryAfter: wait };
  if (vm.spec.template === undefined) {
    return { ...NONE, failure: { reason: 'FailedCreate', message: 'missing virtual machine template.' } };
  }
  return { action: { type: 'create', instance: instanceOf(vm, vm.spec.template) } };
}

function stop(vmi: VirtualMachineInstance): Next {
  if (vmi.metadata.deletionTimestamp !== undefined) return NONE;
  return { action: { type: 'delete', uid: vmi.metadata.uid ?? '' } };
}

function startIsRequested(vm: VirtualMachine): boolean {
  return vm.status?.stateChangeRequests?.[0]?.action === 'Start';
}

function stopIsRequested(vm: VirtualMachine, vmi: VirtualMachineInstance): boolean {
  const first = vm.status?.stateChangeRequests?.[0];
  return first?.action === 'Stop' && first.uid === vmi.metadata.uid;
}

function expectationAfter(action: VirtualMachineAction): 'start' | 'stop' | undefined {
  if (action.type === 'create') return 'start';
  return action.type === 'delete' ? 'stop' : undefined;
}

/** The instance of a VM, from its current template (`SetupVMIFromVM`). */
function instanceOf(vm: VirtualMachine, template: InstanceTemplate): Draft<VirtualMachineInstance> {
  const paused = vm.status?.stateChangeRequests?.[0]?.data?.['paused'] === 'true';
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: vm.metadata.name,
      ...(vm.metadata.namespace === undefined ? {} : { namespace: vm.metadata.namespace }),
      labels: { ...template.metadata?.labels },
      annotations: {
        ...template.metadata?.annotations,
        'kubevirt.io/vm-generation': String(vm.metadata.generation ?? 1),
      },
      finalizers: [VM_FINALIZER, INSTANCE_FINALIZER],
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachine',
          name: vm.metadata.name,
          uid: vm.metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      architecture: DEFAULT_ARCHITECTURE,
      ...structuredClone(template.spec),
      ...(paused ? { startStrategy: 'Paused' } : {}),
    },
  };
}
