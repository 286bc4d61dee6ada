import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedServer } from '../../../test/harness/embedded/server.ts';
import { kubernetesServer } from '../../../test/harness/kubernetes/server.ts';
import { firstDifference, type Difference } from './difference.ts';
import { playedKinds } from './kinds.ts';
import type { Sequence } from './operation.ts';
import { sequences } from './operations.ts';
import { Stage } from './stage.ts';

/**
 * The same requests to the embedded API server and to a real one: what they answer may differ in nothing but what a
 * server makes up. GROUNDCREW_RANDOM_RUNS plays more sequences of each kind, GROUNDCREW_RANDOM_SEED others.
 */
const RUNS = Number(process.env['GROUNDCREW_RANDOM_RUNS'] ?? 100);
const SEED = Number(process.env['GROUNDCREW_RANDOM_SEED'] ?? 20_261_121);

const namespace = `random-${randomBytes(4).toString('hex')}`;
const group = `${namespace}.example.com`;
let real: Stage;
let embedded: Stage;

beforeAll(async () => {
  real = await Stage.open(kubernetesServer(), namespace, group);
  embedded = await Stage.open(await embeddedServer(), namespace, group);
});

afterAll(async () => {
  await real.close();
  await embedded.close();
});

describe('random operations', () => {
  it.each(playedKinds(group))(
    'on $plural are answered alike by the embedded API server and by kube-apiserver',
    async (kind) => {
      const property = fc.asyncProperty(sequences(kind), async (sequence) => (await differs(sequence)) === undefined);
      const { counterexample, seed } = await fc.check(property, { numRuns: RUNS, seed: SEED });
      if (counterexample !== null) report(await differs(counterexample[0]), seed);
    },
    RUNS * 10_000,
  );
});

/** Played again where it shows: what a server makes up may come out the same twice, such as a port. */
async function differs(sequence: Sequence): Promise<Difference | undefined> {
  return (await compare(sequence)) === undefined ? undefined : await compare(sequence);
}

async function compare(sequence: Sequence): Promise<Difference | undefined> {
  const [answered, expected] = await Promise.all([embedded.play(sequence), real.play(sequence)]);
  return firstDifference(expected, answered);
}

/** Fails with the shortest sequence found, as requests that can be sent again. */
function report(difference: Difference | undefined, seed: number): void {
  if (difference === undefined) throw new Error(`a difference did not show again (seed ${seed})`);
  const requests = difference.requests.join('\n');
  expect(difference.embedded, `seed ${seed}, the last of these is answered otherwise:\n${requests}\n`).toEqual(
    difference.real,
  );
}
