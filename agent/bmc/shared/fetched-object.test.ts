import { expect, it } from 'vitest';
import { KubeClient, type Secret, SECRETS } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { Slots } from '../objects/slots.ts';
import { FetchedObject } from './fetched-object.ts';

const PATH = '/api/v1/namespaces/default/secrets/a';
const A = { apiVersion: 'v1', kind: 'Secret' };

function bench(readsAgain = true, api = new ScriptedApi(), random = 0) {
  const clock = new FakeClock();
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  let changes = 0;
  const object = new FetchedObject<Secret>({
    ...{
      client,
      kind: SECRETS,
      namespace: 'default',
      name: 'a',
      slots: new Slots(4),
      isUrgent: true,
      readsAgain,
      clock,
    },
    random: () => random,
    onChange: () => (changes += 1),
  });
  return { api, clock, object, changes: () => changes };
}

it('is read once, and a reader that waits for it shares the request', async () => {
  const { api, object, changes } = bench();
  expect(object.hasSettled).toBe(false);
  expect(await object.read()).toBeUndefined();
  expect([object.hasSettled, object.object, changes(), api.requests.length]).toEqual([true, undefined, 1, 1]);
});

it('is read again a minute later, since the agent before may have written it, and then no more', async () => {
  const { api, clock, object, changes } = bench();
  await object.read();
  api.put(PATH, A);
  await clock.advance(59_000);
  expect(object.object).toBeUndefined();
  await clock.advance(1_000);
  expect([object.object?.metadata.name, changes()]).toEqual(['a', 2]);
  await clock.advance(3_600_000);
  expect([api.requests.length, clock.timers]).toEqual([2, 0]);
});

it('is tried again soon after a failure, and less often after more of them', async () => {
  const api = new ScriptedApi();
  api.intercept = () => ({ status: 403, body: {} });
  const { clock, object } = bench(true, api, 1);
  await expect(object.read()).rejects.toThrow();
  const counts: number[] = [];
  for (const milliseconds of [500, 1_000, 28_500]) {
    await clock.advance(milliseconds);
    counts.push(api.requests.length);
  }
  expect(counts).toEqual([2, 3, 7]);
  api.intercept = () => undefined;
  await clock.advance(10_000);
  expect(object.hasSettled).toBe(true);
});

it('is read once more if it changes during a read', async () => {
  const { api, clock, object } = bench(false);
  object.again();
  await clock.advance(0);
  expect(api.requests).toHaveLength(2);
  object.stop();
  expect(clock.timers).toBe(0);
});
