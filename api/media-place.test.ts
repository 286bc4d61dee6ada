import { expect, it } from 'vitest';
import { savedMediaPlace, saveMediaPlace } from './media-place.ts';

const PLACE = {
  drive: 'tools',
  volume: 'machine-cd',
  driveAdded: false,
  hotpluggable: true,
  originalVolume: { name: 'tools', containerDisk: { image: 'example.invalid/tools' } },
};

it('reads a saved place', () => {
  expect(savedMediaPlace({ slot: 'Cd', volume: PLACE.volume, ...saveMediaPlace(PLACE) })).toEqual(PLACE);
});

it('leaves out an original volume that is not valid JSON', () => {
  const { originalVolume: _gone, ...empty } = PLACE;
  const entry = { slot: 'Cd', volume: PLACE.volume, ...saveMediaPlace(PLACE), originalVolume: '{' };
  expect(savedMediaPlace(entry)).toEqual(empty);
});

it('returns undefined for an image without a place', () => {
  expect(savedMediaPlace({ slot: 'Cd', volume: PLACE.volume })).toBeUndefined();
});
