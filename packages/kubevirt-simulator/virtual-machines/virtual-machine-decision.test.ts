import { describe, expect, it } from 'vitest';
import type { StateChangeRequest, VirtualMachineInstance } from '../kubevirt/objects.ts';
import { aTemplate, aVm, aVmi, deleted } from '../testing/builders.ts';
import {
  decideVirtualMachine,
  type VirtualMachineDecision,
  type VirtualMachineView,
} from './virtual-machine-decision.ts';

const NOW = Date.parse('2026-11-21T01:37:15Z');
const START: StateChangeRequest = { action: 'Start' };
const STOP: StateChangeRequest = { action: 'Stop', uid: 'vmi-uid' };

function decide(view: Partial<VirtualMachineView>): VirtualMachineDecision {
  return decideVirtualMachine({ vm: aVm(), vmi: undefined, expectation: undefined, now: NOW, storage: {}, ...view });
}

/** As one line. */
function summary({ status }: VirtualMachineDecision): string {
  const requests = (status.stateChangeRequests ?? []).map(({ action }) => action).join(',');
  const conditions = (status.conditions ?? [])
    .map(({ type, status: value, reason }) => `${type}=${value}${reason === undefined ? '' : `/${reason}`}`)
    .join(',');
  // KubeVirt omits false fields.
  const { printableStatus, created = false, ready: isReady = false } = status;
  return `ps=${String(printableStatus)} created=${String(created)} ready=${String(isReady)} req=[${requests}] cond=[${conditions}]`;
}

function ready(status: 'True' | 'False', reason?: string): VirtualMachineInstance {
  const conditions = [{ type: 'Ready', status, ...(reason === undefined ? {} : { reason }) }];
  return aVmi(status === 'True' ? 'Running' : 'Scheduling', { conditions });
}

describe('the action of a VM', () => {
  it('deletes an instance once, and waits for the watch', () => {
    expect(decide({ vm: aVm({ runStrategy: 'Halted' }), vmi: deleted(aVmi('Running')) }).action.type).toBe('none');
    expect(decide({ vm: aVm({ runStrategy: 'Always' }), expectation: 'start' }).action.type).toBe('none');
  });
});

describe('the instance that a start creates', () => {
  it('has the template, the owner reference and both finalizers', () => {
    const template = aTemplate({ interface: { bootOrder: 1 }, disk: { bootOrder: 2 } });
    const { action } = decide({ vm: aVm({ template }, { stateChangeRequests: [START] }) });
    expect(action).toMatchObject({
      type: 'create',
      instance: {
        metadata: {
          name: 'm',
          namespace: 'vms',
          finalizers: ['kubevirt.io/virtualMachineControllerFinalize', 'foregroundDeleteVirtualMachine'],
          ownerReferences: [{ kind: 'VirtualMachine', name: 'm', uid: 'vm-uid', controller: true }],
        },
        spec: template.spec,
      },
    });
  });

  it('is paused by request', () => {
    const { action } = decide({ vm: aVm({}, { stateChangeRequests: [{ ...START, data: { paused: 'true' } }] }) });
    expect(action).toMatchObject({ instance: { spec: { startStrategy: 'Paused' } } });
  });
});

describe('status, step by step', () => {
  it('start: the request is kept until the watch shows the instance', () => {
    const vm = aVm({}, { stateChangeRequests: [START] });
    expect(summary(decide({ vm }))).toBe(
      'ps=Starting created=false ready=false req=[Start] cond=[Ready=False/VMINotExists]',
    );
    expect(summary(decide({ vm, vmi: aVmi() }))).toBe(
      'ps=Starting created=true ready=false req=[] cond=[Ready=False/VMIConditionMissing]',
    );
    expect(summary(decide({ vm, vmi: ready('False', 'GuestNotRunning') }))).toBe(
      'ps=Starting created=true ready=false req=[] cond=[Ready=False/GuestNotRunning]',
    );
    expect(summary(decide({ vm, vmi: ready('True') }))).toBe(
      'ps=Running created=true ready=true req=[] cond=[Ready=True]',
    );
  });

  it('stop: Stopping, then Stopped with the request, then without', () => {
    const vm = aVm({}, { stateChangeRequests: [STOP] });
    expect(summary(decide({ vm, vmi: ready('True') }))).toBe(
      'ps=Stopping created=true ready=true req=[Stop] cond=[Ready=True]',
    );
    const ended = deleted(
      aVmi('Succeeded', { conditions: [{ type: 'Ready', status: 'False', reason: 'PodTerminating' }] }),
    );
    expect(summary(decide({ vm, vmi: ended }))).toBe(
      'ps=Stopped created=true ready=false req=[Stop] cond=[Ready=False/PodTerminating]',
    );
    expect(summary(decide({ vm }))).toBe('ps=Stopped created=false ready=false req=[] cond=[Ready=False/VMINotExists]');
  });

  it('restart: the VM is Stopped with a queued Start between its instances', () => {
    const vm = aVm({}, { stateChangeRequests: [STOP, START] });
    expect(summary(decide({ vm }))).toBe(
      'ps=Stopped created=false ready=false req=[Start] cond=[Ready=False/VMINotExists]',
    );
  });

  it('is Paused while the guest is paused, and keeps the condition of an ended guest', () => {
    const paused = { type: 'Paused', status: 'True' as const, reason: 'PausedByUser' };
    const vmi = aVmi('Running', { conditions: [{ type: 'Ready', status: 'True' }, paused] });
    const first = decide({ vmi });
    expect(summary(first)).toBe('ps=Paused created=true ready=true req=[] cond=[Ready=True,Paused=True/PausedByUser]');
    expect(summary(decide({ vm: aVm({}, first.status) }))).toBe(
      'ps=Stopped created=false ready=false req=[] cond=[Ready=False/VMINotExists,Paused=True/PausedByUser]',
    );
    const unpaused = decide({ vm: aVm({}, first.status), vmi: ready('True') });
    expect(summary(unpaused)).toBe('ps=Running created=true ready=true req=[] cond=[Ready=True]');
  });

  it('RestartRequired is removed when the change is reverted', () => {
    const changed = decide({ vm: aVm({ template: aTemplate({ interface: { bootOrder: 1 } }) }), vmi: ready('True') });
    expect(summary(decide({ vm: aVm({}, changed.status), vmi: ready('True') }))).not.toContain('RestartRequired');
  });
});

describe('an instance that never reached Running', () => {
  it('delays the next start; the VM is CrashLoopBackOff', () => {
    const vm = aVm({ runStrategy: 'Always' });
    const first = decide({ vm, vmi: aVmi('Failed') });
    expect(first.status.startFailure).toEqual({
      consecutiveFailCount: 1,
      lastFailedVMIUID: 'vmi-uid',
      retryAfterTimestamp: '2026-11-21T01:37:25Z',
    });
    const waiting = decide({ vm: aVm({ runStrategy: 'Always' }, first.status) });
    expect(waiting).toMatchObject({
      action: { type: 'none' },
      retryAfter: 10_000,
      status: { printableStatus: 'CrashLoopBackOff' },
    });
    expect(decide({ vm: aVm({ runStrategy: 'Always' }, first.status), now: NOW + 10_000 }).action.type).toBe('create');
  });
});

describe('deletion of a VM', () => {
  it('stops its instance first', () => {
    expect(decide({ vm: deleted(aVm()), vmi: aVmi('Running') })).toMatchObject({
      action: { type: 'delete', uid: 'vmi-uid' },
      status: { printableStatus: 'Terminating' },
    });
    expect(decide({ vm: deleted(aVm()) }).action.type).toBe('removeFinalizer');
  });

  it('adds its finalizer first', () => {
    const vm = aVm();
    expect(decide({ vm: { ...vm, metadata: { ...vm.metadata, finalizers: [] } } }).action.type).toBe('addFinalizer');
  });
});
