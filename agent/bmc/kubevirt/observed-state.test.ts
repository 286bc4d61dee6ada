import { describe, expect, it } from 'vitest';
import type { VirtualMachineInstance } from '../../../api/index.ts';
import { aVmi } from '../testing/builders.ts';
import { diffEvents, type ObservedState, readObservedState } from '../log/observed-state.ts';
import { sightOf } from './observed-state.ts';

const OFF: ObservedState = { power: 'Off', media: [] };
const ON: ObservedState = { power: 'On', vmi: 'vmi-1', media: [] };

type Volume = NonNullable<NonNullable<VirtualMachineInstance['status']>['volumeStatus']>[number];

/** A running VMI whose CD-ROM drive `cd` has a volume declared, which is as far as `status` says. */
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

describe('what is seen of a machine', () => {
  it('is power while a guest runs', () => {
    expect(sightOf(aVmi(), undefined)).toEqual(ON);
    expect(sightOf(aVmi({ paused: true }), undefined)).toEqual(ON);
    expect(sightOf(aVmi({ deleted: true }), undefined)).toEqual(ON);
  });

  it('is none where no guest is, or it has ended', () => {
    for (const vmi of [undefined, aVmi({ phase: 'Succeeded' }), aVmi({ phase: 'Failed' })]) {
      expect(sightOf(vmi, ON)).toEqual({ ...ON, power: 'Off' });
    }
  });

  it('is what it was before while a guest starts, and while its node does not answer', () => {
    for (const phase of ['', 'Pending', 'Scheduling', 'Scheduled', 'Unknown', 'WaitingForSync'] as const) {
      expect(sightOf(aVmi({ phase }), OFF)).toBe(OFF);
      expect(sightOf(aVmi({ phase }), ON)).toBe(ON);
      expect(sightOf(aVmi({ phase }), undefined)).toBeUndefined();
    }
  });

  it('is none of a guest that was seen to have ended', () => {
    const ended: ObservedState = { ...ON, power: 'Off' };
    expect(sightOf(aVmi(), ended)).toBe(ended);
    expect(sightOf(aVmi({ uid: 'vmi-2' }), ended)).toEqual({ ...ON, vmi: 'vmi-2' });
  });

  it('is a medium in a drive as soon as the guest can read it, and until it is taken out', () => {
    const plugged = { name: 'cd', hotplugVolume: {} };
    expect(sightOf(withDisc({ name: 'cd', target: 'sda' }), ON)?.media).toEqual(['cd']);
    expect(sightOf(withDisc({ ...plugged, phase: 'AttachedToNode' }), ON)?.media).toEqual([]);
    expect(sightOf(withDisc({ ...plugged, phase: 'Ready' }), ON)?.media).toEqual(['cd']);
    expect(sightOf(aVmi(), { ...ON, media: ['cd'] })?.media).toEqual([]);
  });

  it('is the medium of before while it is on its way into a new guest, and while there is none', () => {
    const before: ObservedState = { power: 'Off', media: ['cd'] };
    expect(sightOf(withDisc(undefined), before)?.media).toEqual(['cd']);
    expect(sightOf(undefined, { ...ON, media: ['cd'] })?.media).toEqual(['cd']);
    expect(sightOf(undefined, undefined)).toEqual({ power: 'Off' });
  });
});

describe('what happened between two observedStates', () => {
  const on = { kind: 'PowerState', state: 'On' };
  const off = { kind: 'PowerState', state: 'Off' };

  it.each([
    ['nothing is known of a machine that was never seen', undefined, ON, []],
    ['nothing', ON, ON, []],
    ['it got power', OFF, ON, [on]],
    ['it lost power', ON, OFF, [off]],
    ['another guest runs, so it lost power in between', ON, { ...ON, vmi: 'vmi-2' }, [off, on]],
    ['a disc came', ON, { ...ON, media: ['cd'] }, [{ kind: 'Media', change: 'Inserted', slot: 'cd' }]],
    ['what is in the drives was not known', { power: 'Off' }, { ...ON, media: ['cd'] }, [on]],
    ['a disc went', { ...ON, media: ['cd'] }, ON, [{ kind: 'Media', change: 'Ejected', slot: 'cd' }]],
  ] as const)('%s', (_, before, now, events) => {
    expect(diffEvents(before, now)).toEqual(events);
  });
});

it('reads back what was stored, and nothing else', () => {
  for (const observedState of [OFF, ON, { ...ON, media: ['cd'] }]) {
    expect(readObservedState(JSON.parse(JSON.stringify(observedState)))).toEqual(observedState);
  }
  for (const value of [undefined, null, 7, {}, { power: 'Half' }]) expect(readObservedState(value)).toBeUndefined();
  expect(readObservedState({ power: 'Off', media: 7 })).toEqual({ power: 'Off' });
});
