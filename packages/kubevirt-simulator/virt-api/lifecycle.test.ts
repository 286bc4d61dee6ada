import { describe, expect, it } from 'vitest';
import type { RunStrategy, VirtualMachineInstance, VirtualMachineStatus } from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import { aVm, aVmi } from '../testing/builders.ts';
import { LIFECYCLE, type LifecycleChange } from './lifecycle.ts';

interface Case {
  runStrategy?: RunStrategy;
  status?: VirtualMachineStatus;
  vmi?: VirtualMachineInstance;
  body?: unknown;
}

const STOPPED: VirtualMachineStatus = { printableStatus: 'Stopped' };

function change(
  action: keyof typeof LIFECYCLE,
  { runStrategy = 'Manual', status = STOPPED, vmi, body }: Case,
): LifecycleChange {
  return LIFECYCLE[action]({
    vm: aVm({ runStrategy }, status),
    vmi,
    body: body === undefined ? '' : JSON.stringify(body),
  });
}

/** `<code> <reason>: <message>`. */
function refusal(action: keyof typeof LIFECYCLE, request: Case): string {
  try {
    const { refusal: late } = change(action, request);
    if (late !== undefined) throw late;
  } catch (error) {
    if (error instanceof StatusError)
      return `${error.body.code} ${error.body.reason ?? ''}: ${error.body.message ?? ''}`;
    throw error;
  }
  return 'accepted';
}

const CONFLICT = '409 Conflict: Operation cannot be fulfilled on virtualmachine.kubevirt.io "m": ';
const UNDERWAY = '500 InternalError: Internal error occurred: unable to complete request: stop/start already underway';
const QUEUE = '/status/stateChangeRequests';

describe('start', () => {
  it('queues a Start, guarded by the queue that was read', () => {
    expect(change('start', {}).virtualMachine).toEqual({
      subresource: 'status',
      patch: [
        { op: 'test', path: QUEUE, value: null },
        { op: 'add', path: QUEUE, value: [{ action: 'Start' }] },
      ],
    });
  });

  it('queues the end of a finished instance before it', () => {
    const { virtualMachine } = change('start', { vmi: aVmi('Failed') });
    expect(virtualMachine.patch.at(-1)?.value).toEqual([{ action: 'Stop', uid: 'vmi-uid' }, { action: 'Start' }]);
  });

  it('makes a status where a fresh VM has none', () => {
    expect(change('start', { status: {} }).virtualMachine.patch).toEqual([
      { op: 'add', path: '/status', value: { stateChangeRequests: [{ action: 'Start' }] } },
    ]);
  });

  it('rewrites the strategy of a Halted VM, but for a paused start queues', () => {
    expect(change('start', { runStrategy: 'Halted' }).virtualMachine.patch).toEqual([
      { op: 'test', path: '/spec/runStrategy', value: 'Halted' },
      { op: 'replace', path: '/spec/runStrategy', value: 'Always' },
    ]);
    expect(
      change('start', { runStrategy: 'Halted', body: { paused: true } }).virtualMachine.patch.at(-1)?.value,
    ).toEqual([{ action: 'Start', data: { paused: 'true' } }]);
  });

  it.each(['Pending', 'Scheduling', 'Scheduled', 'Running'] as const)(
    'is refused while the instance is %s',
    (phase) => {
      expect(refusal('start', { vmi: aVmi(phase) })).toBe(`${CONFLICT}VM is already running`);
    },
  );

  it.each(['Always', 'Once'] as const)('is refused under %s', (runStrategy) => {
    expect(refusal('start', { runStrategy })).toBe(`${CONFLICT}${runStrategy} does not support manual start requests`);
  });

  it('is refused after a crash under RerunOnFailure', () => {
    expect(refusal('start', { runStrategy: 'RerunOnFailure', vmi: aVmi('Failed') })).toBe(
      `${CONFLICT}RerunOnFailure does not support starting VM from failed state`,
    );
  });

  it('is an internal error while a request is queued', () => {
    expect(refusal('start', { status: { ...STOPPED, stateChangeRequests: [{ action: 'Start' }] } })).toBe(UNDERWAY);
  });

  it.each([{ paused: 'x' }, { dryRun: 'All' }, []])('refuses the body %j', (body) => {
    expect(refusal('start', { body })).toMatch(/^400 BadRequest: Can not unmarshal Request body to struct, error: /);
  });

  it('passes a dry run on', () => {
    expect(change('start', { body: { dryRun: ['All'] } }).dryRun).toBe(true);
  });
});

describe('stop', () => {
  it('queues a Stop of this very instance in place of whatever is queued', () => {
    const status: VirtualMachineStatus = { ...STOPPED, stateChangeRequests: [{ action: 'Start' }] };
    expect(change('stop', { status, vmi: aVmi('Running') }).virtualMachine.patch).toEqual([
      { op: 'test', path: QUEUE, value: [{ action: 'Start' }] },
      { op: 'replace', path: QUEUE, value: [{ action: 'Stop', uid: 'vmi-uid' }] },
    ]);
  });

  it('shortens the grace of the instance first', () => {
    expect(change('stop', { vmi: aVmi('Running'), body: { gracePeriod: 0 } }).instance).toEqual([
      { op: 'test', path: '/spec/terminationGracePeriodSeconds', value: null },
      { op: 'add', path: '/spec/terminationGracePeriodSeconds', value: 0 },
    ]);
  });

  it.each(['Always', 'Once'] as const)('rewrites the strategy of a VM that is %s', (runStrategy) => {
    expect(change('stop', { runStrategy, vmi: aVmi('Running') }).virtualMachine.patch.at(-1)).toEqual({
      op: 'replace',
      path: '/spec/runStrategy',
      value: 'Halted',
    });
  });

  it.each([undefined, aVmi('Succeeded'), aVmi('Failed')])('is refused without a guest', (vmi) => {
    expect(refusal('stop', vmi === undefined ? {} : { vmi })).toBe(`${CONFLICT}VM is not running`);
  });

  it('hurries a Halted VM along only with a shorter grace', () => {
    const vmi = aVmi('Running');
    const graceful = { ...vmi, spec: { ...vmi.spec, terminationGracePeriodSeconds: 30 } };
    const refused = `${CONFLICT}Halted only supports manual stop requests with a shorter graceperiod`;
    expect(refusal('stop', { runStrategy: 'Halted', vmi })).toBe(refused);
    expect(refusal('stop', { runStrategy: 'Halted', vmi: graceful, body: { gracePeriod: 30 } })).toBe(refused);
    // By then KubeVirt has given the guest the grace all the same.
    expect(change('stop', { runStrategy: 'Halted', vmi: graceful, body: { gracePeriod: 60 } }).instance).toContainEqual(
      {
        op: 'add',
        path: '/spec/terminationGracePeriodSeconds',
        value: 60,
      },
    );
    expect(refusal('stop', { runStrategy: 'Halted', vmi: graceful, body: { gracePeriod: 0 } })).toBe('accepted');
  });
});

describe('restart', () => {
  it('queues a Stop and a Start', () => {
    const { virtualMachine, deletePod } = change('restart', { vmi: aVmi('Running') });
    expect(virtualMachine.patch.at(-1)?.value).toEqual([{ action: 'Stop', uid: 'vmi-uid' }, { action: 'Start' }]);
    expect(deletePod).toBeUndefined();
  });

  it('forces the guest off with gracePeriodSeconds 0', () => {
    expect(change('restart', { vmi: aVmi('Running'), body: { gracePeriodSeconds: 0 } }).deletePod).toBe(true);
  });

  it('boots a VM whose guest has ended under Manual', () => {
    expect(refusal('restart', { vmi: aVmi('Succeeded') })).toBe('accepted');
  });

  it('refuses any other grace', () => {
    expect(refusal('restart', { vmi: aVmi('Running'), body: { gracePeriodSeconds: 5 } })).toBe(
      '400 BadRequest: For force restart, only gracePeriod=0 is supported for now',
    );
  });

  it('is refused without an instance, with KubeVirt’s misleading text', () => {
    expect(refusal('restart', {})).toBe(`${CONFLICT}VM is not running: Halted`);
  });

  it.each(['Halted', 'Once'] as const)('is refused under %s', (runStrategy) => {
    expect(refusal('restart', { runStrategy, vmi: aVmi('Running') })).toBe(
      `${CONFLICT}RunStategy ${runStrategy} does not support manual restart requests`,
    );
  });

  it('is an internal error while a request is queued', () => {
    const status: VirtualMachineStatus = { ...STOPPED, stateChangeRequests: [{ action: 'Stop', uid: 'vmi-uid' }] };
    expect(refusal('restart', { status, vmi: aVmi('Running') })).toBe(UNDERWAY);
  });
});
