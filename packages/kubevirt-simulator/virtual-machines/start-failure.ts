import { timestamp } from '@groundcrew/controller-runtime';
import { isFinal, type StartFailure, type VirtualMachine, type VirtualMachineInstance } from '../kubevirt/objects.ts';
import { runStrategyOf } from './run-strategy.ts';

/** Longest wait between two starts of a guest that never runs, seconds. */
const MAX_BACK_OFF = 300;

/**
 * The record of starts that never reached Running, which delays the next one (CrashLoopBackOff): 10 s × n², at most
 * 5 minutes. KubeVirt adds up to half of that at random; the stand-in does not, so that a test can tell the time.
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
