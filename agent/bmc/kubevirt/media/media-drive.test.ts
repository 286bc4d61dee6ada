import { describe, expect, it } from 'vitest';
import type { MediaStatus, Volume } from '../../../../api/index.ts';
import { aGuest, aVmi } from '../../testing/builders.ts';
import { isKeptByGuest } from './media-drive.ts';

const ENTRY: MediaStatus = { slot: 'Cd', phase: 'Inserted', volume: 'a-bmc-cd', drive: 'cd', hotpluggable: false };

function aVmiWith(volume: Volume) {
  return aVmi({ guest: { ...aGuest(), volumes: [{ name: 'root' }, volume] } });
}

describe('an ejected image', () => {
  const full = aVmiWith({ name: 'cd', dataVolume: { name: 'a-bmc-cd' } });

  it('stays in a running guest without hot-plug', () => {
    expect(isKeptByGuest(ENTRY, full)).toBe(true);
  });

  it('leaves a guest with hot-plug', () => {
    expect(isKeptByGuest({ ...ENTRY, hotpluggable: true }, full)).toBe(false);
  });

  it('is not in a guest that would get it at its next boot', () => {
    expect(isKeptByGuest({ ...ENTRY, phase: 'Waiting' }, aVmi())).toBe(false);
    expect(isKeptByGuest(ENTRY, aVmiWith({ name: 'cd', dataVolume: { name: 'tools' } }))).toBe(false);
  });

  it('is in no guest if the machine is off', () => {
    expect(isKeptByGuest(ENTRY, undefined)).toBe(false);
    expect(isKeptByGuest(ENTRY, { ...full, status: { phase: 'Succeeded' } })).toBe(false);
  });

  it('is not in the guest if it was imported without insertion', () => {
    expect(isKeptByGuest({ slot: 'Cd', phase: 'Inserted', volume: 'a-bmc-cd', detached: true }, full)).toBe(false);
  });
});
