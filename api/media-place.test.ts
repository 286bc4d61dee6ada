import { expect, it } from 'vitest';
import { savedMediaPlace, saveMediaPlace } from './media-place.ts';

const PLACE = {
  slot: 'Cd' as const,
  drive: 'tools',
  volume: 'machine-cd',
  driveAdded: false,
  hotpluggable: true,
  originalVolume: { name: 'tools', containerDisk: { image: 'example.invalid/tools' } },
};

it('reads a saved place', () => {
  expect(savedMediaPlace({ slot: 'Cd', volume: PLACE.volume, ...saveMediaPlace(PLACE) })).toEqual(PLACE);
});

it('does not take a disk of the owner for a USB stick, whatever the annotation says', () => {
  const stick = { slot: 'Usb', volume: 'machine-usb', drive: 'bmc-usb-2', driveAdded: true };
  expect(savedMediaPlace(stick)).toMatchObject(stick);
  expect(savedMediaPlace({ ...stick, drive: 'root' })).toBeUndefined();
  expect(savedMediaPlace({ ...stick, originalVolume: '{"name":"bmc-usb-2"}' })).not.toHaveProperty('originalVolume');
});

it('leaves out an original volume that is not valid JSON', () => {
  const { originalVolume: _gone, ...empty } = PLACE;
  const entry = { slot: 'Cd', volume: PLACE.volume, ...saveMediaPlace(PLACE), originalVolume: '{' };
  expect(savedMediaPlace(entry)).toEqual(empty);
});

it('returns undefined for an image without a place', () => {
  expect(savedMediaPlace({ slot: 'Cd', volume: PLACE.volume })).toBeUndefined();
});
