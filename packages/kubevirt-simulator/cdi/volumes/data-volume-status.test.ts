import { describe, expect, it } from 'vitest';
import { ANNOTATIONS } from '../annotations.ts';
import type { ImportState } from '../importer/importer.ts';
import type { Claim, DataVolumeStatus } from '../objects.ts';
import { aClaim, aDataVolume } from '../testing/builders.ts';
import { conditionOf } from './conditions.ts';
import { statusOf, type StatusDecision, type StatusView } from './data-volume-status.ts';
import { importAnnotations } from './import-annotations.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

function decide(view: Partial<StatusView> = {}): StatusDecision {
  return statusOf({ dv: aDataVolume(), claim: undefined, waits: false, state: undefined, now: NOW, ...view });
}

/** A claim whose import is in this state. */
function importing(state: ImportState): { claim: Claim; state: ImportState } {
  return { claim: aClaim('Bound', { annotations: importAnnotations('iso', state) }), state };
}

function textOf({ status, events }: StatusDecision): unknown {
  const conditions = status.conditions?.map(({ type, status: state, reason }) => `${type}=${state}/${reason ?? ''}`);
  return [status.phase, status.progress, conditions?.join(' '), events.map(({ reason }) => reason).join(' ')];
}

describe('a DataVolume’s status', () => {
  it.each<[string, Partial<StatusView>, unknown]>([
    ['is new', {}, ['Pending', undefined, 'Bound=False/NotFound Ready=False/ Running=False/', 'NotFound']],
    [
      'has a claim that is not bound',
      { claim: aClaim('Pending') },
      ['Pending', 'N/A', 'Bound=False/Pending Ready=False/ Running=False/', 'Pending'],
    ],
    [
      'has one that waits for a consumer',
      { claim: aClaim('Pending'), waits: true },
      ['WaitForFirstConsumer', 'N/A', 'Bound=False/Pending Ready=False/ Running=False/', 'Pending'],
    ],
    [
      'has one that is bound',
      { claim: aClaim('Bound') },
      ['PVCBound', 'N/A', 'Bound=True/Bound Ready=False/ Running=False/', 'Bound'],
    ],
    [
      'has lost its claim',
      { claim: aClaim('Lost') },
      ['Failed', 'N/A', 'Bound=False/ClaimLost Ready=False/ Running=False/', 'ErrClaimLost ClaimLost'],
    ],
    [
      'waits for its importer',
      importing({ phase: 'Waiting', reason: 'ContainerCreating', message: '', restarts: 0 }),
      [
        'ImportScheduled',
        'N/A',
        'Bound=True/Bound Ready=False/ Running=False/ContainerCreating',
        'ImportScheduled Bound',
      ],
    ],
    [
      'is imported',
      importing({ phase: 'Running', bytes: 42, total: 100, restarts: 0 }),
      [
        'ImportInProgress',
        '42.00%',
        'Bound=True/Bound Ready=False/TransferRunning Running=True/Pod is running',
        'ImportInProgress Bound',
      ],
    ],
    [
      'is imported, and nobody knows how much there is',
      importing({ phase: 'Running', bytes: 42, total: undefined, restarts: 0 }),
      [
        'ImportInProgress',
        'N/A',
        'Bound=True/Bound Ready=False/TransferRunning Running=True/Pod is running',
        'ImportInProgress Bound',
      ],
    ],
    [
      'could not be imported, this time',
      importing({ phase: 'Failed', message: 'no', restarts: 2 }),
      ['ImportInProgress', 'N/A', 'Bound=True/Bound Ready=False/ Running=False/Error', 'ImportInProgress Bound Error'],
    ],
    [
      'is full',
      importing({ phase: 'Succeeded', received: { bytes: 100, sha256: 'abc' }, restarts: 0 }),
      ['Succeeded', '100.0%', 'Bound=True/Bound Ready=True/ Running=False/Completed', 'ImportSucceeded Bound'],
    ],
  ])('when it %s', (_what, view, expected) => {
    expect(textOf(decide(view))).toEqual(expected);
  });

  it('counts the attempts after the first', () => {
    const { status } = decide(importing({ phase: 'Failed', message: 'no', restarts: 2 }));
    expect(status.restartCount).toBe(2);
  });

  it('calls a volume too small, whatever CDI’s importer said of it', () => {
    const message = 'virtual image size 2 is larger than the reported available storage 1. A larger PVC is required';
    const { status } = decide(importing({ phase: 'Failed', message, restarts: 0 }));
    expect(conditionOf(status.conditions, 'Running')?.message).toBe('DataVolume too small to contain image');
  });

  it('says why there can be no claim, as a warning', () => {
    const { status, events } = decide({ problem: { reason: 'ErrClaimNotValid', message: 'no access mode' } });
    expect(conditionOf(status.conditions, 'Bound')).toMatchObject({ status: 'False', reason: 'ErrClaimNotValid' });
    expect(events).toEqual([{ type: 'Warning', reason: 'ErrClaimNotValid', message: 'no access mode' }]);
  });

  it('stays the same, and tells nothing, while nothing happens', () => {
    const view = importing({ phase: 'Running', bytes: 42, total: 100, restarts: 0 });
    const first: DataVolumeStatus = decide(view).status;
    const again = decide({ ...view, dv: aDataVolume({}, first), now: NOW + 60_000 });
    expect(again).toEqual({ status: first, events: [] });
  });

  it('is done though the claim says no more of the importer than that', () => {
    const claim = aClaim('Bound', { annotations: { [ANNOTATIONS.phase]: 'Succeeded' } });
    expect(decide({ claim }).status.phase).toBe('Succeeded');
  });
});
