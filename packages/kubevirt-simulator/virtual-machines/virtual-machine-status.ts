import { timestamp } from '@groundcrew/controller-runtime';
import type { StorageStatus } from '../hotplug/index.ts';
import { conditionOf, isTrue, withCondition, withoutCondition } from '../kubevirt/conditions.ts';
import {
  isFinal,
  isMigrating,
  type KubeVirtCondition,
  type PrintableStatus,
  type StateChangeRequest,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineStatus,
} from '../kubevirt/objects.ts';
import { isRestartRequired } from './restart-required.ts';
import { runStrategyOf, startFailureAfter } from './run-strategy.ts';

export interface StatusView {
  vm: VirtualMachine;
  vmi: VirtualMachineInstance | undefined;
  expectation: 'start' | 'stop' | undefined;
  now: number;
  failure: { reason: string; message: string } | undefined;
  /** The state of its volumes. */
  storage: StorageStatus;
  /** An instance is being created from the current template, which ends RestartRequired. */
  starting: boolean;
}

/** The VM's status as virt-controller's `updateStatus` computes it: of the instance seen before the present action. */
export function statusOf(view: StatusView): VirtualMachineStatus {
  const { vm, vmi, now } = view;
  const {
    created: _created,
    ready: _ready,
    startFailure: _startFailure,
    stateChangeRequests: _requests,
    ...old
  } = vm.status ?? {};
  const startFailure = startFailureAfter(vm, vmi, now);
  const requests = remainingRequests(view);
  const created = vmi !== undefined;
  const strategy = vm.spec.runStrategy ?? runStrategyOf(vm.spec);
  return {
    ...old,
    // Absent instead of false, as in Go.
    ...(created ? { created } : {}),
    ...(isTrue(vmi?.status?.conditions, 'Ready') ? { ready: true } : {}),
    ...(created || old.runStrategy !== undefined ? { runStrategy: strategy } : {}),
    ...(created ? { observedGeneration: observedGeneration(vm, vmi), desiredGeneration: vm.metadata.generation } : {}),
    ...(requests.length === 0 ? {} : { stateChangeRequests: requests }),
    ...(startFailure === undefined ? {} : { startFailure }),
    conditions: conditionsOf(view),
    printableStatus: printableStatusOf(view, startFailure !== undefined),
  };
}

/** Removes at most one request: a Stop without its instance, or a Start with an instance. */
function remainingRequests({ vm, vmi }: StatusView): StateChangeRequest[] {
  const requests = vm.status?.stateChangeRequests ?? [];
  const [first, ...rest] = requests;
  if (first === undefined) return mustRerun(vm, vmi) ? [{ action: 'Start' }] : [];
  const done =
    first.action === 'Stop'
      ? vmi === undefined || first.uid === undefined || first.uid !== vmi.metadata.uid
      : vmi !== undefined && vmi.metadata.deletionTimestamp === undefined && !isFinal(vmi);
  return done ? rest : requests;
}

/** RerunOnFailure queues a Start after a crash. */
function mustRerun(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): boolean {
  if (vmi?.status?.phase !== 'Failed' || runStrategyOf(vm.spec) !== 'RerunOnFailure') return false;
  // An instance that was deleted before it ran is Failed too; the VM stays off.
  const ran = vmi.status.phaseTransitionTimestamps?.some(({ phase }) => phase === 'Running') === true;
  return ran || vmi.metadata.deletionTimestamp === undefined;
}

/** The latest generation of the VM with the template of the instance. */
function observedGeneration(vm: VirtualMachine, vmi: VirtualMachineInstance): number | undefined {
  if (!isRestartRequired(vm, vmi)) return vm.metadata.generation;
  const started = Number(vmi.metadata.annotations?.['kubevirt.io/vm-generation'] ?? '1');
  return Math.max(started, vm.status?.observedGeneration ?? 0);
}

const OWN_CONDITIONS = ['Ready', 'Failure', 'RestartRequired'];

function conditionsOf(view: StatusView): KubeVirtCondition[] {
  const { vm, vmi, now, failure } = view;
  let conditions = withReady(vm.status?.conditions ?? [], vmi, now);
  conditions =
    failure === undefined
      ? withoutCondition(conditions, 'Failure')
      : withCondition(conditions, { type: 'Failure', status: 'True', ...failure }, now);
  conditions = withRestartRequired(conditions, view);
  // Without an instance the copies of its conditions are kept: a stopped VM may have Paused=True.
  if (vmi === undefined) return conditions;
  const copied = (vmi.status?.conditions ?? []).filter(({ type }) => !OWN_CONDITIONS.includes(type));
  const kept = conditions.filter(
    ({ type }) => OWN_CONDITIONS.includes(type) || copied.some((condition) => condition.type === type),
  );
  return copied.reduce((list, condition) => replaceOrAdd(list, condition), kept);
}

function withReady(
  conditions: readonly KubeVirtCondition[],
  vmi: VirtualMachineInstance | undefined,
  now: number,
): KubeVirtCondition[] {
  const ready = conditionOf(vmi?.status?.conditions, 'Ready');
  if (ready !== undefined) return replaceOrAdd(conditions, ready);
  const [reason, message] =
    vmi === undefined
      ? ['VMINotExists', 'VMI does not exist']
      : ['VMIConditionMissing', 'VMI is missing the Ready condition'];
  return withCondition(conditions, { type: 'Ready', status: 'False', reason, message }, now);
}

function withRestartRequired(conditions: readonly KubeVirtCondition[], view: StatusView): KubeVirtCondition[] {
  const { vm, vmi, starting, now } = view;
  if (starting) return withoutCondition(conditions, 'RestartRequired');
  if (vmi === undefined || vmi.metadata.deletionTimestamp !== undefined) return [...conditions];
  if (!isRestartRequired(vm, vmi)) return withoutCondition(conditions, 'RestartRequired');
  if (conditionOf(conditions, 'RestartRequired') !== undefined) return [...conditions];
  const condition: KubeVirtCondition = {
    type: 'RestartRequired',
    status: 'True',
    message: 'a non-live-updatable field was changed in the template spec',
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
  };
  return [...conditions, condition];
}

function replaceOrAdd(conditions: readonly KubeVirtCondition[], next: KubeVirtCondition): KubeVirtCondition[] {
  const at = conditions.findIndex(({ type }) => type === next.type);
  return at === -1 ? [...conditions, next] : conditions.with(at, next);
}

/** The first match wins (`setPrintableStatus`); problems of volumes come before transitions. */
function printableStatusOf(view: StatusView, startFailed: boolean): PrintableStatus {
  const { error, progress } = view.storage;
  const own = ownPrintableStatusOf(view, startFailed);
  if (BEFORE_VOLUMES.has(own)) return own;
  const synchronized = conditionOf(view.vmi?.status?.conditions, 'Synchronized');
  if (synchronized?.status === 'False' && synchronized.reason === 'FailedPvcNotFound') return 'ErrorPvcNotFound';
  if (error !== undefined) return error;
  return own === 'ErrorUnschedulable' ? own : (progress ?? own);
}

const BEFORE_VOLUMES: ReadonlySet<PrintableStatus> = new Set([
  'Terminating',
  'Stopping',
  'Migrating',
  'Paused',
  'Running',
]);

function ownPrintableStatusOf({ vm, vmi, expectation }: StatusView, startFailed: boolean): PrintableStatus {
  if (vm.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (vmi !== undefined && !isFinal(vmi)) return printableStatusWhile(vmi, expectation === 'stop');
  if (vmi === undefined && expectation === 'start') return 'Starting';
  return startFailed ? 'CrashLoopBackOff' : 'Stopped';
}

function printableStatusWhile(vmi: VirtualMachineInstance, stopExpected: boolean): PrintableStatus {
  const { metadata, status } = vmi;
  if (metadata.deletionTimestamp !== undefined || stopExpected) return 'Stopping';
  if (isMigrating(vmi)) return 'Migrating';
  switch (status?.phase) {
    case 'Running':
      return isTrue(status.conditions, 'Paused') ? 'Paused' : 'Running';
    case undefined:
    case 'Pending':
    case 'Scheduling':
    case 'Scheduled':
      return conditionOf(status?.conditions, 'PodScheduled')?.reason === 'Unschedulable'
        ? 'ErrorUnschedulable'
        : 'Starting';
    default:
      return 'Unknown';
  }
}
