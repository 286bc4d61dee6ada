import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { checkAgainstSchema, needsSchemas } from './index.ts';

const URI = '/redfish/v1/Systems/1';
const GOOD: JsonObject = {
  '@odata.id': URI,
  '@odata.type': '#ComputerSystem.v1_27_0.ComputerSystem',
  Id: '1',
  Name: 'testvm',
  UUID: '5d307ca9-b3ef-428c-8861-06e72d69f223',
  PowerState: 'On',
  Boot: { BootSourceOverrideTarget: 'Pxe', 'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Pxe'] },
  Processors: { '@odata.id': `${URI}/Processors` },
  Links: { Chassis: [{ '@odata.id': '/redfish/v1/Chassis/1' }] },
  Actions: { '#ComputerSystem.Reset': { target: `${URI}/Actions/ComputerSystem.Reset` } },
};

/** Problems of the valid payload after a change. */
function problemsOf(change: JsonObject, legacy = false): string[] {
  return checkAgainstSchema({ ...GOOD, ...change }, { legacy });
}

describe('checkAgainstSchema', needsSchemas, () => {
  it('accepts a valid payload', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ['a type that there is not', { '@odata.type': '#ComputerSystem.v9_0_0.ComputerSystem' }, '/: there is no type'],
    ['no type', { '@odata.type': undefined }, '/: @odata.type is undefined'],
    ['a property that there is not', { Colour: 'red' }, '/Colour: no property'],
    [
      'one that came later',
      { '@odata.type': '#ComputerSystem.v1_0_0.ComputerSystem', LastResetTime: 'x' },
      '/LastResetTime: no',
    ],
    ['one that is missing', { Name: undefined }, '/Name: is required'],
    ['one that is deprecated', { IndicatorLED: 'Off' }, '/IndicatorLED: is deprecated'],
    [
      'a wrong type',
      { MemorySummary: { TotalSystemMemoryGiB: '4' } },
      '/MemorySummary/TotalSystemMemoryGiB: "4" is no',
    ],
    ['a word that there is not', { PowerState: 'Onn' }, '/PowerState: Onn is none of On'],
    ['a text that does not match', { UUID: '1' }, '/UUID: "1" does not match'],
    ['a date that is none', { LastResetTime: 'today' }, '/LastResetTime: "today" does not match'],
    [
      'a number out of range',
      { ProcessorSummary: { LogicalProcessorCount: -1 } },
      '/ProcessorSummary/LogicalProcessorCount: -1 is below 0',
    ],
    ['null where it is no value', { Boot: { BootOrder: null } }, '/Boot/BootOrder: is no array'],
    ['an object for a text', { AssetTag: {} }, '/AssetTag: {} is no Edm.String'],
    ['a text for an object', { Boot: 'Pxe' }, '/Boot: is no object'],
    ['an array for a value', { AssetTag: [] }, '/AssetTag: is an array'],
    ['a link that is none', { Processors: { Name: 'x' } }, '/Processors: is no link'],
    [
      'an action that there is not',
      { Actions: { '#ComputerSystem.Jump': { target: '/' } } },
      '/Actions/#ComputerSystem.Jump: there',
    ],
    [
      'an action without target',
      { Actions: { '#ComputerSystem.Reset': {} } },
      '/Actions/#ComputerSystem.Reset: has no target',
    ],
    ['a wrong place', { '@odata.id': '/redfish/v1/Computers/1' }, '/@odata.id: /redfish/v1/Computers/1 is no place'],
    ['an ID that is not in the URI', { Id: '2' }, '/Id: 2 is not the end'],
    [
      'a password that is shown',
      { '@odata.type': '#ManagerAccount.v1_12_1.ManagerAccount', Password: 'x' },
      '/Password: can only',
    ],
  ])('reports %s', (_what, change, problem) => {
    expect(problemsOf(change).some((found) => found.startsWith(problem))).toBe(true);
  });

  it('accepts deprecated properties with the option', () => {
    expect(problemsOf({ IndicatorLED: 'Off' }, true)).toEqual([]);
  });

  it('checks expanded resources by their own type', () => {
    const Processors: JsonObject = {
      '@odata.id': `${URI}/Processors`,
      '@odata.type': '#ProcessorCollection.ProcessorCollection',
      Name: 'Processors',
      Members: [],
    };
    expect(problemsOf({ Processors })).toEqual(['/Processors/Members@odata.count: is required']);
  });
});
