import { describe, expect, it } from 'vitest';
import type { VirtualMachineInstance } from '../../../api/index.ts';
import { aVmi } from '../testing/builders.ts';
import { diffEvents, type ObservedState, readObservedState } from '../log/observed-state.ts';
import { observedStateOf } from './observed-state.ts';

const OFF: ObservedState = { power: 'Off', media: [] };
const ON: ObservedState = { power: 'On', vmi: 'vmi-1', media: [] };

type Volume = NonNullable<NonNullable<VirtualMachineInstance['status']>['volumeStatus']>[number];

/** A running VMI whose CD-ROM drive `cd` has a volume with this status. */
function withDisc(status: Volume | undefined): VirtualMachineInstance {
  const vmi = aVmi();
  return {
    ...vmi,
    spec: { ...vmi.spec, volumes: [{ name: 'root' }, { name: 'cd' }] },
    status: {
      ...vmi.status,
      volumeStatus: [{ name: 'root', target: 'vda' }, ...(status === undefined ? [] : [status])],
    },
  };
}

describe('the observed state of a machine', () => {
  it('is On while a guest runs', () => {
    expect(observedStateOf(aVmi(), undefined)).toEqual(ON);
    expect(observedStateOf(aVmi({ paused: true }), undefined)).toEqual(ON);
    expect(observedStateOf(aVmi({ deleted: true }), undefined)).toEqual(ON);
  });

  it('is Off without a guest, and after it has ended', () => {
    for (const vmi of [undefined, aVmi({ phase: 'Succeeded' }), aVmi({ phase: 'Failed' })]) {
      expect(observedStateOf(vmi, ON)).toEqual({ ...ON, power: 'Off' });
    }
  });

  it('does not change while a guest starts, or while its node does not respond', () => {
    for (const phase of ['', 'Pending', 'Scheduling', 'Scheduled', 'Unknown', 'WaitingForSync'] as const) {
      expect(observedStateOf(aVmi({ phase }), OFF)).toBe(OFF);
      expect(observedStateOf(aVmi({ phase }), ON)).toBe(ON);
      expect(observedStateOf(aVmi({ phase }), undefined)).toBeUndefined();
    }
  });

  it('stays Off for a guest that has ended already', () => {
    const ended: ObservedState = { ...ON, power: 'Off' };
    expect(observedStateOf(aVmi(), ended)).toBe(ended);
    expect(observedStateOf(aVmi({ uid: 'vmi-2' }), ended)).toEqual({ ...ON, vmi: 'vmi-2' });
  });

  it('has a medium from when the guest can read it until it is removed', () => {
    const plugged = { name: 'cd', hotplugVolume: {} };
    expect(observedStateOf(withDisc({ name: 'cd', target: 'sda' }), ON)?.media).toEqual(['cd']);
    expect(observedStateOf(withDisc({ ...plugged, phase: 'AttachedToNode' }), ON)?.media).toEqual([]);
    expect(observedStateOf(withDisc({ ...plugged, phase: 'Ready' }), ON)?.media).toEqual(['cd']);
    expect(observedStateOf(aVmi(), { ...ON, media: ['cd'] })?.media).toEqual([]);
  });

  it('keeps a medium while it is attached to a new guest, and while there is no guest', () => {
    const before: ObservedState = { power: 'Off', media: ['cd'] };
    expect(observedStateOf(withDisc(undefined), before)?.media).toEqual(['cd']);
    expect(observedStateOf(undefined, { ...ON, media: ['cd'] })?.media).toEqual(['cd']);
    expect(observedStateOf(undefined, undefined)).toEqual({ power: 'Off' });
  });
});

describe('the events between two observed states', () => {
  const on = { kind: 'PowerState', state: 'On' };
  const off = { kind: 'PowerState', state: 'Off' };

  it.each([
    ['none for a machine that was never seen', undefined, ON, []],
    ['none without a change', ON, ON, []],
    ['power on', OFF, ON, [on]],
    ['power off', ON, OFF, [off]],
    ['power off and on for another guest', ON, { ...ON, vmi: 'vmi-2' }, [off, on]],
    ['a medium inserted', ON, { ...ON, media: ['cd'] }, [{ kind: 'Media', change: 'Inserted', slot: 'cd' }]],
    ['none for media that were unknown before', { power: 'Off' }, { ...ON, media: ['cd'] }, [on]],
    ['a medium ejected', { ...ON, media: ['cd'] }, ON, [{ kind: 'Media', change: 'Ejected', slot: 'cd' }]],
  ] as const)('%s', (_, before, now, events) => {
    expect(diffEvents(before, now)).toEqual(events);
  });
});

it('decodes a stored state, and rejects other values', () => {
  for (const observedState of [OFF, ON, { ...ON, media: ['cd'] }]) {
    expect(readObservedState(JSON.parse(JSON.stringify(observedState)))).toEqual(observedState);
  }
  for (const value of [undefined, null, 7, {}, { power: 'Half' }]) expect(readObservedState(value)).toBeUndefined();
  expect(readObservedState({ power: 'Off', media: 7 })).toEqual({ power: 'Off' });
});
