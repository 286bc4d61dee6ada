import { timestamp } from '@groundcrew/controller-runtime';
import {
  RUN_STRATEGIES,
  isFinal,
  type RunStrategy,
  type VirtualMachineSpec,
  type VirtualMachine,
  type VirtualMachineInstance,
  type StartFailure,
} from '../kubevirt/objects.ts';

/** The run strategy; undefined if the spec has none, two or an unknown one. */
export function runStrategyOf(spec: VirtualMachineSpec): RunStrategy | undefined {
  if (spec.runStrategy !== undefined && spec.running !== undefined) return undefined;
  if (spec.running !== undefined) return spec.running ? 'Always' : 'Halted';
  return RUN_STRATEGIES.find((strategy) => strategy === spec.runStrategy);
}

/** Whether a VM is meant to run (`isSetToStart`). */
export function isSetToStart(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): boolean {
  const [request] = vm.status?.stateChangeRequests ?? [];
  switch (runStrategyOf(vm.spec)) {
    case 'Always':
      return true;
    case 'Manual':
      if (vmi === undefined) return request?.action === 'Start';
      return request?.action !== 'Stop' || request.uid !== vmi.metadata.uid;
    case 'RerunOnFailure':
      return vmi?.status?.phase !== 'Succeeded';
    case 'Once':
      return vmi === undefined;
    default:
      return false;
  }
}

/** Longest wait between two starts of a guest that never runs, seconds. */
const MAX_BACK_OFF = 300;

/**
 * The record of starts that never reached Running, which delays the next one (CrashLoopBackOff): 10 s × n², at most
 * 5 minutes. KubeVirt adds up to half of that at random; the simulator does not, so that the time is predictable in tests.
 */
export function startFailureAfter(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  now: number,
): StartFailure | undefined {
  const old = vm.status?.startFailure;
  const strategy = runStrategyOf(vm.spec);
  if (strategy !== 'Always' && strategy !== 'RerunOnFailure' && strategy !== 'Once') return undefined;
  if (vmi === undefined) return old;
  if (vmi.status?.phaseTransitionTimestamps?.some(({ phase }) => phase === 'Running') === true) return undefined;
  const uid = vmi.metadata.uid ?? '';
  if (!isFinal(vmi) || old?.lastFailedVMIUID === uid) return old;
  const count = (old?.consecutiveFailCount ?? 0) + 1;
  const delay = Math.min(10 * count * count, MAX_BACK_OFF);
  return {
    consecutiveFailCount: count,
    lastFailedVMIUID: uid,
    retryAfterTimestamp: timestamp(now + delay * 1000),
  };
}
