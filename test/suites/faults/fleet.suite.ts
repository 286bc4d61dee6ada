import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Done } from '../../harness/faulty-proxy.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { Questioner } from '../dhcp-agent/questioner.ts';
import { expectCurrent, expectServing, powerOn, restart } from './clients.ts';
import { FAULTS, type Fault } from './faults.ts';
import { Fleet } from './fleet.ts';
import { growthOf } from '../../harness/growth.ts';

/** `SOAK_MINUTES=10 npx vitest run --project=kubernetes --maxWorkers=1 test/suites/faults/fleet.suite.ts` */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 0);
const SIZE = MINUTES > 0 ? 5 : 2;
/** Of a fault; the loss of a node takes the longest. */
const TIMEOUT = 180_000;
const SETTLED = { timeout: 60_000, interval: 500 };

const c = await cluster();
const questioner = await Questioner.open();
let fleet: Fleet;
/** The machine that the previous fault has added. */
let added: string | undefined;

beforeAll(async () => {
  fleet = await Fleet.start(c, SIZE);
  for (const machine of fleet.machines) expect(await powerOn(fleet, machine)).toBe(204);
  await settle();
}, TIMEOUT);
afterAll(async () => {
  await (fleet as Fleet | undefined)?.close();
});

async function settle(): Promise<void> {
  await eventually(async () => {
    await fleet.converge();
    await expectCurrent(fleet, questioner);
  }, SETTLED);
}

async function write(): Promise<void> {
  if (added !== undefined) await fleet.deleteMachine(added);
  added = await fleet.createMachine();
  await fleet.changeDns();
}

/** KubeVirt calls that the API server has accepted for a machine since `from`. */
function powerCalls(name: string, from: number): string[] {
  return fleet.proxy.writes
    .slice(from)
    .filter(
      ({ path, status }) => path.includes('/subresources.kubevirt.io/') && path.includes(`/${name}/`) && status < 300,
    )
    .map(({ path }) => path);
}

function difference(now: Done, before: Done): Done {
  const { delayed, refused, dropped, answersLost, watchesCut, expired } = before;
  return {
    delayed: now.delayed - delayed,
    refused: now.refused - refused,
    dropped: now.dropped - dropped,
    answersLost: now.answersLost - answersLost,
    watchesCut: now.watchesCut - watchesCut,
    expired: now.expired - expired,
  };
}

/** One fault from its begin until the fleet has converged. */
async function suffer(fault: Fault): Promise<void> {
  const machine = fleet.machines.at(-1) ?? expect.fail('the fleet is empty');
  const target = fleet.machines[1] ?? machine;
  const from = fleet.proxy.writes.length;
  const before = { ...fleet.proxy.done };
  const expected = await fault.begin(fleet, write);
  await expectServing(fleet, questioner, expected);
  const answers: number[] = [];
  for (let asked = 0; asked < fault.restarts; asked += 1) answers.push(await restart(fleet, target));
  await expectServing(fleet, questioner, expected);
  await fault.end?.(fleet);
  await eventually(() => fleet.changePassword(), SETTLED);
  await settle();
  // Each restart that a client was told of was accepted once; one with another answer at most once, and not later.
  const calls = powerCalls(target.name, from);
  const done = answers.filter((status) => status < 300).length;
  expect(calls.length, `${answers.join()} for ${calls.join()}`).toBeGreaterThanOrEqual(done);
  expect(calls.length, `${answers.join()} for ${calls.join()}`).toBeLessThanOrEqual(fault.restarts);
  fault.expectDone?.(difference(fleet.proxy.done, before));
  for (const code of fleet.exits) expect(code).toBe(1);
  heaps.push(await fleet.probes.heaps());
}

/** Bytes in use after each fault, by process. */
const heaps: ReadonlyMap<string, number>[] = [];

describe('a fleet converges and serves while', () => {
  it.each(FAULTS)('$name', { timeout: TIMEOUT }, async (fault) => {
    await suffer(fault);
  });

  if (MINUTES > 0)
    it(`faults follow each other for ${MINUTES} minutes`, { timeout: MINUTES * 90_000 }, async () => {
      const end = performance.now() + MINUTES * 60_000;
      while (performance.now() < end)
        for (const fault of shuffled(FAULTS)) {
          await suffer(fault);
          console.log(`${heaps.length} ${fault.name}: ${JSON.stringify(fleet.proxy.done)}`);
        }
    });

  it('the memory of its processes does not grow', () => {
    const growths = growthOf(heaps);
    if (MINUTES > 0) console.log(`bytes in use and growth by a fault: ${JSON.stringify([...growths], undefined, 1)}`);
    expect(growths.size).toBeGreaterThanOrEqual(2 + SIZE);
    // Twice what was measured: code that runs for the first time is compiled and kept, up to 300 kB for a fault at first, and 150 kB later.
    const [most, fewest] = MINUTES > 0 ? [300_000, 20] : [600_000, 0];
    for (const [name, { growth, samples }] of growths) if (samples >= fewest) expect(growth, name).toBeLessThan(most);
  });
});

function shuffled<T>(list: readonly T[]): T[] {
  const rest = [...list];
  return list.flatMap(() => rest.splice(randomInt(rest.length), 1));
}
