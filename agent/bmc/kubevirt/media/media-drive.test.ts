import { describe, expect, it } from 'vitest';
import type { MediaStatus, Volume } from '../../../../api/index.ts';
import { aGuest, aVm, aVmi } from '../../testing/builders.ts';
import { isKeptByGuest } from './media-drive.ts';

const ENTRY: MediaStatus = { slot: 'Cd', phase: 'Inserted', volume: 'a-bmc-cd', drive: 'cd', hotpluggable: false };

function aVmiWith(volume: Volume) {
  return aVmi({ guest: { ...aGuest(), volumes: [{ name: 'root' }, volume] } });
}

describe('an ejected image', () => {
  const vm = aVm();
  const full = aVmiWith({ name: 'cd', dataVolume: { name: 'a-bmc-cd' } });

  it('stays in a running guest without hot-plug', () => {
    expect(isKeptByGuest(ENTRY, { vm, vmi: full })).toBe(true);
  });

  it('leaves a guest with hot-plug', () => {
    expect(isKeptByGuest({ ...ENTRY, hotpluggable: true }, { vm, vmi: full })).toBe(false);
  });

  it('is not in a guest that would get it at its next boot', () => {
    expect(isKeptByGuest({ ...ENTRY, phase: 'Waiting' }, { vm, vmi: aVmi() })).toBe(false);
    expect(isKeptByGuest(ENTRY, { vm, vmi: aVmiWith({ name: 'cd', dataVolume: { name: 'tools' } }) })).toBe(false);
  });

  it('is in no guest if the machine is off', () => {
    expect(isKeptByGuest(ENTRY, { vm, vmi: undefined })).toBe(false);
    expect(isKeptByGuest(ENTRY, { vm, vmi: { ...full, status: { phase: 'Succeeded' } } })).toBe(false);
  });

  it('is not in the guest if it was imported without insertion', () => {
    expect(
      isKeptByGuest({ slot: 'Cd', phase: 'Inserted', volume: 'a-bmc-cd', detached: true }, { vm, vmi: full }),
    ).toBe(false);
  });
});
