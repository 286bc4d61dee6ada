import { describe, expect, it } from 'vitest';
import type { PowerState, SensorReading } from '../../../protocols/machine/index.ts';
import { aGuest, aVm, aVmi } from '../testing/builders.ts';
import { sensorsOf, type SensorSources } from './sensors-of.ts';

const NOTHING: SensorSources = { pair: undefined, powerState: undefined, usage: undefined };

/** Readings by name: numbers, or lists of states. */
function readings(sources: Partial<SensorSources>): Record<string, number | readonly number[] | undefined> {
  const valueOf = (reading: SensorReading): number | readonly number[] | undefined =>
    reading.kind === 'Number' ? reading.value : reading.states;
  return Object.fromEntries(sensorsOf({ ...NOTHING, ...sources }).map(({ name, reading }) => [name, valueOf(reading)]));
}

function running(): ReturnType<typeof aVmi> {
  const guest = aGuest();
  const domain = { ...guest.domain, cpu: { cores: 4 }, memory: { guest: '4Gi' } };
  return aVmi({ guest: { ...guest, domain } });
}

describe('sensorsOf', () => {
  it('has no readings without sources', () => {
    expect(Object.values(readings({})).filter((value) => value !== undefined)).toEqual([]);
  });

  it('always has the same sensors in the same order', () => {
    const describeAll = (sources: Partial<SensorSources>): unknown[] =>
      sensorsOf({ ...NOTHING, ...sources }).map(({ number, name, source, reading }) => ({
        ...{ number, name, source },
        kind: reading.kind,
      }));
    const all = describeAll({
      pair: { vm: aVm(), vmi: running() },
      powerState: 'On',
      usage: { cpus: 1, memoryBytes: 2 ** 30 },
    });
    expect(describeAll({})).toEqual(all);
    expect(all.map((sensor) => (sensor as { number: number }).number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it.each<[PowerState, number]>([
    ['On', 0],
    ['Paused', 1],
    ['PoweringOff', 0],
    ['Off', 6],
    ['PoweringOn', 6],
  ])('reads %s as ACPI state %i', (powerState, offset) => {
    expect(readings({ powerState })['Power State']).toEqual([offset]);
    const [power] = sensorsOf({ ...NOTHING, powerState });
    expect(power?.reading).toMatchObject({ possible: [0, 1, 6] });
  });

  it('reads the guest agent of a running guest', () => {
    const vmi = running();
    const pair = { vm: aVm(), vmi };
    expect(readings({ pair })['Guest Agent']).toEqual([1]);
    vmi.status = { ...vmi.status, conditions: [{ type: 'AgentConnected', status: 'True' }] };
    expect(readings({ pair })['Guest Agent']).toEqual([0]);
    expect(readings({ pair: { vm: aVm(), vmi: aVmi({ phase: 'Unknown' }) } })['Guest Agent']).toBeUndefined();
    expect(readings({ pair: { vm: aVm(), vmi: aVmi({ phase: 'Succeeded' }) } })['Guest Agent']).toBeUndefined();
  });

  it('reads whether any interface has a link', () => {
    const vmi = running();
    const pair = { vm: aVm(), vmi };
    const withLinks = (...links: (string | undefined)[]): unknown => {
      const interfaces = links.map((linkState) => (linkState === undefined ? {} : { linkState }));
      vmi.status = { ...vmi.status, interfaces };
      return readings({ pair })['Network Link'];
    };
    expect([withLinks(), withLinks(undefined), withLinks('down'), withLinks('down', 'up')]).toEqual([
      undefined,
      undefined,
      [],
      [0],
    ]);
  });

  it('reads vCPUs and memory from the specs, and usage from measurements', () => {
    const pair = { vm: aVm(), vmi: running() };
    expect(readings({ pair, usage: { cpus: 0.5, memoryBytes: 1.5 * 2 ** 30 } })).toMatchObject({
      vCPUs: 4,
      Memory: 4096,
      'CPU Used': 12.5,
      'Memory Used': 1536,
    });
    expect(readings({ pair })).toMatchObject({ 'CPU Used': undefined, 'Memory Used': undefined });
    expect(readings({ pair, usage: { cpus: 9, memoryBytes: 2 ** 40 } })).toMatchObject({
      'CPU Used': 100,
      'Memory Used': 8192,
    });
  });

  it('keeps the ranges of the last guest while a machine with an instance type is off', () => {
    const ranges = (sources: Partial<SensorSources>): unknown[] =>
      sensorsOf({ ...NOTHING, ...sources }).map(({ reading }) => (reading.kind === 'Number' ? reading.max : undefined));
    const vmi = running();
    const off = { vm: aVm(), vmi: undefined };
    expect(ranges({ pair: off, lastVmi: vmi })).toEqual(ranges({ pair: { vm: aVm(), vmi }, lastVmi: vmi }));
    expect(readings({ pair: off, lastVmi: vmi })).toMatchObject({ vCPUs: undefined, Memory: undefined });
  });

  it('has no usage of a guest that does not run', () => {
    const pair = { vm: aVm(), vmi: aVmi({ phase: 'Scheduling' }) };
    expect(readings({ pair, usage: { cpus: 1, memoryBytes: 1 } })['Memory Used']).toBeUndefined();
  });
});
