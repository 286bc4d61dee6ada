import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { ReconcileSteps, StepsError, type ReconcileStep } from './reconcile-steps.ts';

function bench() {
  const logged = vi.fn<(fields: object, message: string) => void>();
  const warn = vi.fn<(reason: string, message: string) => void>();
  const steps = new ReconcileSteps({ logger: { ...silentLogger, warn: logged }, warn });
  return { steps, logged, warn };
}
const failing = (name: string, error: Error): ReconcileStep => ({ name, work: () => Promise.reject(error) });
const refused = new Error('the API server is away');

describe('steps', () => {
  it('run in order, even if some fail', async () => {
    const { steps } = bench();
    const done: string[] = [];
    const well = (name: string): ReconcileStep => ({ name, work: () => Promise.resolve(void done.push(name)) });
    const thrower: ReconcileStep = {
      name: 'thrower',
      work: () => {
        throw refused;
      },
    };
    const failures = await steps.carryOut([failing('first', refused), well('second'), thrower, well('last')]);
    expect(done).toEqual(['second', 'last']);
    expect(failures).toEqual([
      { name: 'first', error: refused },
      { name: 'thrower', error: refused },
    ]);
  });

  it('are logged when they fail, and again only with another error', async () => {
    const { steps, logged } = bench();
    for (const error of [refused, refused, new Error('no'), refused]) await steps.carryOut([failing('power', error)]);
    expect(logged.mock.calls.map(([fields]) => fields)).toEqual([
      { err: refused, step: 'power' },
      { err: new Error('no'), step: 'power' },
      { err: refused, step: 'power' },
    ]);
  });

  it('emit one Event for a step that fails twice in a row, until it succeeds', async () => {
    const { steps, warn } = bench();
    for (let times = 0; times < 4; times += 1) await steps.carryOut([failing('power', refused)]);
    expect(warn.mock.calls).toEqual([['WorkFailed', 'power: the API server is away; it is retried']]);
    await steps.carryOut([{ name: 'power', work: () => Promise.resolve() }]);
    await steps.carryOut([failing('power', refused)]);
    expect(warn).toHaveBeenCalledOnce();
  });

  it('emit no Event for conflicts, but for later failures', async () => {
    const { steps, warn } = bench();
    const race = new ApiError('PATCH', 409, { kind: 'Status', apiVersion: 'v1', reason: 'Conflict' });
    for (let times = 0; times < 3; times += 1) await steps.carryOut([failing('boot override', race)]);
    expect(warn).not.toHaveBeenCalled();
    for (let times = 0; times < 3; times += 1) await steps.carryOut([failing('boot override', refused)]);
    expect(warn.mock.calls).toEqual([['WorkFailed', 'boot override: the API server is away; it is retried']]);
  });

  it('report the errors of failed steps', async () => {
    const { steps } = bench();
    await steps.carryOut([failing('serving IPMI', refused), failing('power', refused)]);
    expect(steps.problemOf('serving IPMI', 'serving Redfish')).toBe('serving IPMI: the API server is away');
    expect(steps.problemOf('serving Redfish')).toBeUndefined();
    await steps.carryOut([{ name: 'serving IPMI', work: () => Promise.resolve() }]);
    expect(steps.problemOf('serving IPMI')).toBeUndefined();
  });
});

it('lists all failures in its message', () => {
  const error = new StepsError([
    { name: 'power', error: refused },
    { name: 'status', error: 'odd' },
  ]);
  expect(error.message).toBe('power: the API server is away; status: odd');
  expect(error.errors).toEqual([refused, 'odd']);
});
