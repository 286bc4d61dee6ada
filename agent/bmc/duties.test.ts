import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { Duties, DutiesError, type Duty } from './duties.ts';

function bench() {
  const logged = vi.fn<(fields: object, message: string) => void>();
  const warn = vi.fn<(reason: string, message: string) => void>();
  const duties = new Duties({ logger: { ...silentLogger, warn: logged }, warn });
  return { duties, logged, warn };
}
const failing = (name: string, error: Error): Duty => ({ name, work: () => Promise.reject(error) });
const refused = new Error('the API server is away');

describe('duties', () => {
  it('are all done, in order, whichever of them fail', async () => {
    const { duties } = bench();
    const done: string[] = [];
    const well = (name: string): Duty => ({ name, work: () => Promise.resolve(void done.push(name)) });
    const thrower: Duty = {
      name: 'thrower',
      work: () => {
        throw refused;
      },
    };
    const failures = await duties.carryOut([failing('first', refused), well('second'), thrower, well('last')]);
    expect(done).toEqual(['second', 'last']);
    expect(failures).toEqual([
      { name: 'first', error: refused },
      { name: 'thrower', error: refused },
    ]);
  });

  it('are logged when they fail, and again only where the reason is another', async () => {
    const { duties, logged } = bench();
    for (const error of [refused, refused, new Error('no'), refused]) await duties.carryOut([failing('power', error)]);
    expect(logged.mock.calls.map(([fields]) => fields)).toEqual([
      { err: refused, duty: 'power' },
      { err: new Error('no'), duty: 'power' },
      { err: refused, duty: 'power' },
    ]);
  });

  it('make one Event of what fails twice in a row, until it is done', async () => {
    const { duties, warn } = bench();
    for (let times = 0; times < 4; times += 1) await duties.carryOut([failing('power', refused)]);
    expect(warn.mock.calls).toEqual([['WorkFailed', 'power: the API server is away; it is tried again']]);
    await duties.carryOut([{ name: 'power', work: () => Promise.resolve() }]);
    await duties.carryOut([failing('power', refused)]);
    expect(warn).toHaveBeenCalledOnce();
  });

  it('make no Event of races, but of what fails after them', async () => {
    const { duties, warn } = bench();
    const race = new ApiError('PATCH', 409, { kind: 'Status', apiVersion: 'v1', reason: 'Conflict' });
    for (let times = 0; times < 3; times += 1) await duties.carryOut([failing('boot override', race)]);
    expect(warn).not.toHaveBeenCalled();
    for (let times = 0; times < 3; times += 1) await duties.carryOut([failing('boot override', refused)]);
    expect(warn.mock.calls).toEqual([['WorkFailed', 'boot override: the API server is away; it is tried again']]);
  });

  it('say what keeps them from being done', async () => {
    const { duties } = bench();
    await duties.carryOut([failing('serving IPMI', refused), failing('power', refused)]);
    expect(duties.problemOf('serving IPMI', 'serving Redfish')).toBe('serving IPMI: the API server is away');
    expect(duties.problemOf('serving Redfish')).toBeUndefined();
    await duties.carryOut([{ name: 'serving IPMI', work: () => Promise.resolve() }]);
    expect(duties.problemOf('serving IPMI')).toBeUndefined();
  });
});

it('names every failure, so that one line tells of all', () => {
  const error = new DutiesError([
    { name: 'power', error: refused },
    { name: 'status', error: 'odd' },
  ]);
  expect(error.message).toBe('power: the API server is away; status: odd');
  expect(error.errors).toEqual([refused, 'odd']);
});
