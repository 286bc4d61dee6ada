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
    ['an unknown type', { '@odata.type': '#ComputerSystem.v9_0_0.ComputerSystem' }, '/: there is no type'],
    ['no type', { '@odata.type': undefined }, '/: @odata.type is undefined'],
    ['an unknown property', { Colour: 'red' }, '/Colour: no property'],
    [
      'a property of a later version',
      { '@odata.type': '#ComputerSystem.v1_0_0.ComputerSystem', LastResetTime: 'x' },
      '/LastResetTime: no',
    ],
    ['a missing required property', { Name: undefined }, '/Name: is required'],
    ['a deprecated property', { IndicatorLED: 'Off' }, '/IndicatorLED: is deprecated'],
    [
      'a wrong type',
      { MemorySummary: { TotalSystemMemoryGiB: '4' } },
      '/MemorySummary/TotalSystemMemoryGiB: "4" is no',
    ],
    ['an unknown enumeration value', { PowerState: 'Onn' }, '/PowerState: Onn is not one of On'],
    ['a string that does not match its pattern', { UUID: '1' }, '/UUID: "1" does not match'],
    ['an invalid date', { LastResetTime: 'today' }, '/LastResetTime: "today" does not match'],
    [
      'a number out of range',
      { ProcessorSummary: { LogicalProcessorCount: -1 } },
      '/ProcessorSummary/LogicalProcessorCount: -1 is below 0',
    ],
    ['null for an array', { Boot: { BootOrder: null } }, '/Boot/BootOrder: is not an array'],
    ['an object for a string', { AssetTag: {} }, '/AssetTag: {} is no Edm.String'],
    ['a string for an object', { Boot: 'Pxe' }, '/Boot: is not an object'],
    ['an array for a value', { AssetTag: [] }, '/AssetTag: is an array'],
    ['an object instead of a link', { Processors: { Name: 'x' } }, '/Processors: is not a link'],
    [
      'an unknown action',
      { Actions: { '#ComputerSystem.Jump': { target: '/' } } },
      '/Actions/#ComputerSystem.Jump: there',
    ],
    [
      'an action without target',
      { Actions: { '#ComputerSystem.Reset': {} } },
      '/Actions/#ComputerSystem.Reset: has no target',
    ],
    ['a wrong URI', { '@odata.id': '/redfish/v1/Computers/1' }, '/@odata.id: /redfish/v1/Computers/1 is not a URI'],
    ['an ID that is not in the URI', { Id: '2' }, '/Id: 2 is not the last segment'],
    [
      'a password that is shown',
      { '@odata.type': '#ManagerAccount.v1_12_1.ManagerAccount', Password: 'x' },
      '/Password: is write-only',
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
