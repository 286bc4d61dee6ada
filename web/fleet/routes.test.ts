import { expect, it } from 'vitest';
import { linkTo, locationOf, type Location } from './routes.ts';

it.each<[string, Location]>([
  ['', { place: 'overview', object: undefined, filters: {} }],
  ['nothing', { place: 'overview', object: undefined, filters: {} }],
  ['bmcs?show=ill', { place: 'bmcs', object: undefined, filters: { show: 'ill' } }],
  ['pools/vms/lab', { place: 'pools', object: { namespace: 'vms', name: 'lab' }, filters: {} }],
  ['bmcs/vms', { place: 'bmcs', object: undefined, filters: {} }],
  ['bmcs/%/%41', { place: 'bmcs', object: { namespace: '%', name: 'A' }, filters: {} }],
])('reads %j', (path, location) => {
  expect(locationOf(path)).toEqual(location);
});

it('reads what it writes', () => {
  const location: Location = { place: 'bmcs', object: { namespace: 'vms', name: 'a.b' }, filters: { text: 'x/y & z' } };
  expect(locationOf(linkTo(location).slice(2))).toEqual(location);
  expect(linkTo({ place: 'bmcs', filters: { show: '' } })).toBe('#/bmcs');
});
