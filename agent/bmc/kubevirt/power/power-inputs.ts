import {
  hasEnded,
  type PowerState,
  powerStateOf,
  type RunStrategy,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../../api/index.ts';
import type { MachinePair } from '../machine-objects.ts';
import { powerOnAfter } from './power-on-after.ts';

/** The inputs of a power decision, from a VM and its VMI. */
export interface PowerInputs {
  state: PowerState;
  strategy: RunStrategy;
  /** The VMI, unless its guest has ended. */
  running: VirtualMachineInstance | undefined;
  /** The VMI of a guest that has ended, if KubeVirt keeps it. */
  ended: VirtualMachineInstance | undefined;
  /** The machine is off or powering off, and will power on again without another request. */
  comingBack: boolean;
  /** A start is in KubeVirt's queue. */
  startIsQueued: boolean;
}

const DEFAULT_GRACE_SECONDS = 30;

/** Reads the inputs. `state` includes a stop that KubeVirt has accepted but not begun. */
export function powerInputsOf(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): PowerInputs {
  const strategy = runStrategyOf(vm);
  const ended = vmi !== undefined && hasEnded(vmi) ? vmi : undefined;
  const running = ended === undefined ? vmi : undefined;
  const state = effectiveState(vm, vmi, strategy);
  const comingBack =
    (state === 'PoweringOff' && comesBack(vm, running, strategy)) || (state === 'Off' && isPowerOnDue(vm, vmi));
  return { state, strategy, running, ended, comingBack, startIsQueued: startIsQueued(vm) };
}

/** Whether the VMI of the note `power-on-after` has ended and no other was created since. */
export function isPowerOnDue(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): boolean {
  const noted = powerOnAfter(vm);
  return noted !== undefined && (vmi === undefined || (vmi.metadata.uid === noted && hasEnded(vmi)));
}

/** KubeVirt maps the deprecated `running` to a run strategy. */
export function runStrategyOf(vm: VirtualMachine): RunStrategy {
  return vm.spec.runStrategy ?? (vm.spec.running === true ? 'Always' : 'Halted');
}

/** Seconds that a guest has to shut down before it is killed. `metadata.deletionGracePeriodSeconds` is always 0. */
export function graceSecondsOf(vmi: VirtualMachineInstance): number {
  return vmi.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
}

function effectiveState(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  strategy: RunStrategy,
): PowerState {
  const state = powerStateOf(vm, vmi);
  const hasPower = vmi !== undefined && !hasEnded(vmi);
  // A stop of an Always VM only writes Halted. Its VMI does not change until virt-controller has seen this.
  if (hasPower && strategy === 'Halted') return 'PoweringOff';
  // Likewise a start of a Halted VM only writes Always.
  if (state === 'Off' && startsUnasked(vm, vmi, strategy)) return 'PoweringOn';
  return state;
}

/** KubeVirt is about to create a VMI without a request. */
function startsUnasked(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined, strategy: RunStrategy): boolean {
  if (vm.metadata.deletionTimestamp !== undefined) return false;
  switch (strategy) {
    case 'Always':
      return true;
    case 'Once':
      return vmi === undefined;
    case 'RerunOnFailure':
      return vmi?.status?.phase === 'Failed';
    default:
      return false;
  }
}

function comesBack(vm: VirtualMachine, running: VirtualMachineInstance | undefined, strategy: RunStrategy): boolean {
  const requests = vm.status?.stateChangeRequests ?? [];
  // KubeVirt drops a start at the head of the queue if it sees a VMI that is not being deleted.
  const isDropped = requests[0]?.action === 'Start' && running?.metadata.deletionTimestamp === undefined;
  if (startIsQueued(vm) && !isDropped) return true;
  if (running !== undefined && powerOnAfter(vm) === running.metadata.uid) return true;
  // KubeVirt creates the next VMI of an Always VM for any reason that the current one ends.
  return strategy === 'Always' && requests.length === 0;
}

function startIsQueued({ status }: VirtualMachine): boolean {
  return status?.stateChangeRequests?.some(({ action }) => action === 'Start') === true;
}

/** Time when the current guest was started, ms since 1970; undefined if no guest runs or the time is unknown. */
export function poweredOnSince({ vmi }: MachinePair): number | undefined {
  if (vmi === undefined || hasEnded(vmi)) return undefined;
  const running = vmi.status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
  const since = running === undefined ? NaN : Date.parse(running.phaseTransitionTimestamp);
  return Number.isNaN(since) ? undefined : since;
}
