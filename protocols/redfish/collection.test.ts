import { expect, it } from 'vitest';
import { collection } from './collection.ts';

it('links to its members and holds them for expansion', () => {
  const resource = { type: 'Chassis.v1_28_0.Chassis', read: () => ({}) };
  const members = [{ uri: '/redfish/v1/Chassis/1', resource }];

  const chassis = collection('ChassisCollection', 'Chassis', () => members);

  expect(chassis.type).toBe('ChassisCollection.ChassisCollection');
  expect(chassis.read()).toEqual({ Name: 'Chassis', Members: [{ '@odata.id': '/redfish/v1/Chassis/1' }] });
  expect(chassis.members?.()).toBe(members);
});
