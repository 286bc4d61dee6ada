import { expect, it } from 'vitest';
import { VIRTUAL_MACHINES } from '../../../api/index.ts';
import { KubeClient, SECRETS } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { NamespaceWatches } from './namespace-watches.ts';

const PATH = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines';

async function bench() {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  const watches = new NamespaceWatches({ client, namespace: 'default', clock, logger: silentLogger });
  const put = async (name: string, annotations = {}): Promise<void> => {
    api.put(`${PATH}/${name}`, { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { annotations } });
    await clock.advance(0);
  };
  void watches.run(new AbortController().signal);
  await clock.advance(1_000);
  return { api, watches, put };
}

it('has one watch for each kind, whatever the number of readers', async () => {
  const { api, watches } = await bench();
  for (let vm = 0; vm < 20; vm += 1) watches.watch(VIRTUAL_MACHINES, `vm-${vm}`, () => undefined);
  expect([api.watches, watches.missing]).toEqual([4, undefined]);
});

it('tells a reader only of its object', async () => {
  const { watches, put } = await bench();
  const told: string[] = [];
  const a = watches.watch(VIRTUAL_MACHINES, 'a', () => told.push('a'));
  watches.watch(VIRTUAL_MACHINES, 'b', () => told.push('b'));
  for (const name of ['b', 'a', 'c']) await put(name);
  expect([told, a.object?.metadata.name]).toEqual([['b', 'a'], 'a']);
  a.stop();
  await put('a', { changed: '1' });
  expect(told).toEqual(['b', 'a']);
});

it("drops kubectl's copy of an object, and keeps the other annotations", async () => {
  const { watches, put } = await bench();
  const watch = watches.watch(VIRTUAL_MACHINES, 'a', () => undefined);
  await put('a', { 'kubectl.kubernetes.io/last-applied-configuration': '{}', other: '1' });
  expect(watch.object?.metadata.annotations).toEqual({ other: '1' });
});

it('keeps an object unpacked only while others are not read', async () => {
  const { watches, put } = await bench();
  const names = Array.from({ length: 20 }, (_, index) => `vm-${index}`);
  for (const name of names) await put(name, { own: name });
  const [first, ...others] = names.map((name) => watches.watch(VIRTUAL_MACHINES, name, () => undefined));
  const before = first?.object;
  expect(first?.object).toBe(before);
  expect(others.map(({ object }) => object?.metadata.annotations?.['own'])).toEqual(names.slice(1));
  expect(first?.object).not.toBe(before);
  expect(first?.object).toEqual(before);
});

it('refuses a kind that it does not watch', async () => {
  const { watches } = await bench();
  expect(() => watches.watch(SECRETS, 'a', () => undefined)).toThrow('watches no secrets');
});
