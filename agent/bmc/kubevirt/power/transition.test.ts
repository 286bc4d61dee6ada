import { describe, expect, it } from 'vitest';
import { aVmi } from '../../testing/builders.ts';
import { directionOf, Transition } from './transition.ts';

const before = aVmi({ uid: 'before' });
const after = aVmi({ uid: 'after', phase: 'Scheduling' });
const NOW = 1_000_000;

describe('an accepted power action that the caches do not show yet', () => {
  it('reads as powering on until a VMI shows', () => {
    const up = new Transition('up', undefined, NOW);
    expect(up.stateOver('Off', undefined, NOW)).toBe('PoweringOn');
    expect(up.stateOver('PoweringOn', undefined, NOW)).toBe('PoweringOn');
    expect(up.stateOver('PoweringOn', after, NOW)).toBeUndefined();
  });

  it('does not confuse the previous, ended VMI with the new one', () => {
    const up = new Transition('up', aVmi({ uid: 'before', phase: 'Succeeded' }), NOW);
    expect(up.stateOver('Off', aVmi({ uid: 'before', phase: 'Succeeded' }), NOW)).toBe('PoweringOn');
    expect(up.stateOver('On', before, NOW)).toBe('PoweringOn');
  });

  it('reads as powering off until the VMI changes', () => {
    const down = new Transition('down', before, NOW);
    expect(down.stateOver('On', before, NOW)).toBe('PoweringOff');
    expect(down.stateOver('PoweringOff', before, NOW)).toBeUndefined();
    expect(down.stateOver('Off', undefined, NOW)).toBeUndefined();
  });

  it('reads as powering off and then on during a restart', () => {
    const cycle = new Transition('down and up', before, NOW);
    expect(cycle.stateOver('On', before, NOW)).toBe('PoweringOff');
    expect(cycle.stateOver('Off', aVmi({ uid: 'before', phase: 'Succeeded' }), NOW)).toBe('PoweringOn');
    expect(cycle.stateOver('Off', undefined, NOW)).toBe('PoweringOn');
    expect(cycle.stateOver('PoweringOn', after, NOW)).toBeUndefined();
  });

  it('reads as paused or resumed until the caches show it', () => {
    const pause = new Transition('pause', before, NOW);
    expect(pause.stateOver('On', before, NOW)).toBe('Paused');
    expect(pause.stateOver('Paused', before, NOW)).toBeUndefined();
    expect(pause.stateOver('PoweringOff', before, NOW)).toBeUndefined();
    const resume = new Transition('resume', before, NOW);
    expect(resume.stateOver('Paused', before, NOW)).toBe('On');
    expect(resume.stateOver('On', before, NOW)).toBeUndefined();
    expect(resume.stateOver('Paused', after, NOW)).toBeUndefined();
  });

  it('expires after 30 s', () => {
    expect(new Transition('up', undefined, NOW).stateOver('Off', undefined, NOW + 29_999)).toBe('PoweringOn');
    expect(new Transition('up', undefined, NOW).stateOver('Off', undefined, NOW + 30_000)).toBeUndefined();
  });

  it('has a direction, except for a reset or reboot, which leave the machine on', () => {
    expect(directionOf({ subresource: 'reset' })).toBeUndefined();
    expect(directionOf({ subresource: 'softreboot' })).toBeUndefined();
    expect(directionOf({ subresource: 'pause' })).toBe('pause');
    expect(directionOf({ subresource: 'unpause' })).toBe('resume');
    expect(directionOf({ subresource: 'restart', gracePeriodSeconds: 0 })).toBe('down and up');
    expect(directionOf({ runStrategy: 'Halted' })).toBe('down');
  });
});
