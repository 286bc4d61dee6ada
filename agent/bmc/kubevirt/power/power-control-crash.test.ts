import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunStrategy } from '../../../../api/index.ts';
import type { PowerAction } from '../../../../protocols/machine/index.ts';
import { type Fault, FAULTS, PowerWorld, type PowerWorldParts } from '../../testing/power-world.ts';

/** Factor of the number of random runs: CI makes five times as many as a developer's machine. */
const RUNS = process.env.CI === 'true' ? 10 : 2;

const ACTIONS: PowerAction[] = [
  ...(['On', 'ForceOff', 'GracefulShutdown', 'PowerCycle', 'GracefulRestart', 'ForceRestart'] as const),
  ...(['Pause', 'Resume'] as const),
];
const STRATEGIES: RunStrategy[] = ['Manual', 'RerunOnFailure', 'Always', 'Halted', 'Once'];

const action = fc.constantFrom(...ACTIONS);
const faultOf = (kinds: readonly Fault['is'][]): fc.Arbitrary<Fault> =>
  fc.record({ is: fc.constantFrom(...kinds), at: fc.nat(7), lasts: fc.boolean() });
const fault = faultOf(FAULTS);
const parts: fc.Arbitrary<PowerWorldParts> = fc.record({
  strategy: fc.constantFrom(...STRATEGIES),
  pace: fc.constantFrom('at rest', 'at each wait', 'at each request'),
  isReordered: fc.boolean(),
});
/** Commands before the one that fails, and the steps that KubeVirt makes after each. */
const history = fc.array(fc.record({ action, steps: fc.nat(5) }), { maxLength: 2 });

async function after(world: PowerWorld, past: readonly { action: PowerAction; steps: number }[]): Promise<PowerWorld> {
  for (const { action: done, steps } of past) {
    await world.power(done);
    world.proceed(steps);
  }
  return world;
}

/** What becomes of the machine after a command, or without one. */
async function resultOf(world: PowerWorld, command?: PowerAction, failure?: Fault) {
  const answer = command === undefined ? 'refused' : await world.power(command, failure);
  await world.rest();
  return { answer, end: world.outcome };
}

/** Whether the machine is on after a command; undefined: as before. */
function target(command: PowerAction): boolean | undefined {
  if (command === 'Pause' || command === 'Resume') return undefined;
  return command !== 'ForceOff' && command !== 'GracefulShutdown';
}

describe('a power command that fails at any request', () => {
  it('has its full effect or none, and its full effect if it was acknowledged', async () => {
    await fc.assert(
      fc.asyncProperty(parts, history, action, fault, async (how, past, command, failure) => {
        const inThisWorld = async (...args: [PowerAction?, Fault?]) =>
          await resultOf(await after(new PowerWorld({ ...how, pace: 'at rest' }), past), ...args);
        const [none, full] = [await inThisWorld(), await inThisWorld(command)];
        const { answer, end } = await inThisWorld(command, failure);
        if (answer === 'accepted') expect(end).toEqual(full.end);
        else expect([none.end, full.end]).toContainEqual(end);
      }),
      { numRuns: 200 * RUNS },
    );
  }, 60_000);

  it('boots the guest at most once, also if KubeVirt works at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(parts, history, action, fault, async (how, past, command, failure) => {
        const inThisWorld = async (...args: [PowerAction?, Fault?]) =>
          await resultOf(await after(new PowerWorld(how), past), ...args);
        const { end: none } = await inThisWorld();
        const { answer, end } = await inThisWorld(command, failure);
        const wanted = target(command) ?? none.isOn;
        expect(answer === 'accepted' ? [wanted] : [wanted, none.isOn]).toContain(end.isOn);
        expect(end.boots - none.boots).toBeLessThanOrEqual(1);
        expect(end.annotations).toEqual({});
      }),
      { numRuns: 200 * RUNS },
    );
  }, 60_000);
});

describe('power commands in a row, each of which may fail', () => {
  it('leave the machine as the last acknowledged command asked, or as a later one', async () => {
    // No client can prevent that a server carries out an aborted request after a later one.
    const inOrder = faultOf(FAULTS.filter((is) => is !== 'hang later'));
    const command = fc.record({ action, failure: fc.option(inOrder, { nil: undefined }), steps: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(parts, fc.array(command, { minLength: 1, maxLength: 6 }), async (how, commands) => {
        const world = new PowerWorld(how);
        let possible = [true];
        for (const { action: asked, failure, steps } of commands) {
          const answer = await world.power(asked, failure);
          world.proceed(steps);
          const wanted = target(asked);
          if (wanted === undefined || answer === 'refused') continue;
          possible = answer === 'accepted' ? [wanted] : [...possible, wanted];
        }
        await world.rest();
        expect(possible).toContain(world.isOn);
      }),
      { numRuns: 200 * RUNS },
    );
  }, 60_000);
});
