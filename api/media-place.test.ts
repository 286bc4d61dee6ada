import { expect, it } from 'vitest';
import { savedMediaPlace, saveMediaPlace } from './media-place.ts';

const PLACE = {
  drive: 'tools',
  volume: 'machine-cd',
  driveAdded: false,
  hotpluggable: true,
  originalVolume: { name: 'tools', containerDisk: { image: 'example.invalid/tools' } },
};

it('reads a place as it was saved', () => {
  expect(savedMediaPlace({ slot: 'Cd', volume: PLACE.volume, ...saveMediaPlace(PLACE) })).toEqual(PLACE);
});

it('leaves the drive empty where somebody has made what was in it unreadable', () => {
  const { originalVolume: _gone, ...empty } = PLACE;
  const entry = { slot: 'Cd', volume: PLACE.volume, ...saveMediaPlace(PLACE), originalVolume: '{' };
  expect(savedMediaPlace(entry)).toEqual(empty);
});

it('has none of an image that was never to be put in', () => {
  expect(savedMediaPlace({ slot: 'Cd', volume: PLACE.volume })).toBeUndefined();
});
