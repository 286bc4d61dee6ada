import { expect, it } from 'vitest';
import {
  certificateSecretName,
  credentialsSecretName,
  type VirtualMachineBMC,
  writeMember,
} from '../../../api/index.ts';
import { KubeClient, type ObjectRef, SECRETS } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { credentialsOf } from '../accounts/credentials.ts';
import { BmcSecrets } from '../bmc-secrets.ts';
import { NamedWatches } from '../objects/named-watches.ts';
import { SharedMembers } from './shared-members.ts';

const PATH = '/api/v1/namespaces/default/secrets';

function bmc(name: string, uid = `uid-of-${name}`): VirtualMachineBMC {
  const metadata = { namespace: 'default', name, uid };
  const spec = { virtualMachineRef: { name } };
  return { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', metadata, spec };
}

/** The Secret of a shared agent, and what it tells of its BMCs. */
async function bench() {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  const common = { client, namespace: 'default', clock, logger: silentLogger };
  const ways = { bmcClient: client, now: () => 0, traces: { current: undefined } };
  const members = new SharedMembers({ ...common, ...ways, name: 'shared', watches: new NamedWatches(common) });
  const entries = new Map<string, string>();
  const list = async (name: string, member: Partial<Parameters<typeof writeMember>[0]>): Promise<void> => {
    const text = writeMember({ uid: `uid-of-${name}`, slot: 0, ...member });
    entries.set(name, Buffer.from(text).toString('base64'));
    api.put(`${PATH}/shared`, { apiVersion: 'v1', kind: 'Secret', ...{ data: Object.fromEntries(entries) } });
    await clock.advance(0);
  };
  const unlist = async (name: string): Promise<void> => {
    entries.delete(name);
    api.put(`${PATH}/shared`, { apiVersion: 'v1', kind: 'Secret', ...{ data: Object.fromEntries(entries) } });
    await clock.advance(0);
  };
  const told: string[] = [];
  members.changes.start(({ name }: ObjectRef) => told.push(name));
  void members.run(new AbortController().signal);
  await clock.advance(1_000);
  return { api, clock, members, list, unlist, told };
}

it('gives each BMC the ports of its slot', async () => {
  const { members, list, unlist } = await bench();
  await list('a', { slot: 3 });
  expect(members.placeOf(bmc('a'))).toMatchObject({ ipmiPort: 20_003, redfishPort: 20_003, redfishHttpPort: 25_003 });
  expect(members.placeOf(bmc('a', 'another'))).toBeUndefined();
  expect(members.placeOf(bmc('b'))).toBeUndefined();
  await unlist('a');
  expect([...members.names, members.placeOf(bmc('a'))]).toEqual([undefined]);
});

it('tells only of the BMC whose entry has changed', async () => {
  const { list, unlist, told } = await bench();
  await list('a', {});
  await list('b', { slot: 1 });
  await list('b', { slot: 2 });
  await unlist('a');
  expect(told).toEqual(['a', 'b', 'b', 'a']);
});

it('keeps its BMCs if the Secret is deleted', async () => {
  const { api, clock, members, list } = await bench();
  await list('a', {});
  api.delete(`${PATH}/shared`);
  await clock.advance(0);
  expect([...members.names]).toEqual(['a']);
});

it('shows the credentials of the entry under the name of their Secret', async () => {
  const { api, members, list } = await bench();
  const credentials = { name: 'login', uid: 'u', resourceVersion: '7', data: { username: 'YQ==' } };
  await list('a', { credentials });
  let changes = 0;
  const watch = members.placeOf(bmc('a'))?.watches.watch(SECRETS, 'login', () => (changes += 1));
  expect([watch?.hasSettled, watch?.object?.data, watch?.object?.metadata.uid]).toEqual([true, credentials.data, 'u']);
  expect(members.placeOf(bmc('a'))?.watches.watch(SECRETS, 'other', () => undefined).object).toBeUndefined();
  await list('a', { credentials: { ...credentials, data: { username: 'Yg==' } } });
  expect([watch?.object?.data, changes]).toEqual([{ username: 'Yg==' }, 1]);
  expect(api.requests.filter((each) => each.includes('login'))).toEqual([]);
});

it('tells credentials that are too long for the entry from a Secret that does not exist', async () => {
  const { members, list } = await bench();
  await list('a', { credentials: { name: 'login', uid: 'u', resourceVersion: '7' } });
  const readingOf = (secret: string): unknown => {
    const { watches } = members.placeOf(bmc('a')) ?? {};
    if (watches === undefined) return undefined;
    const named = { ...bmc('a'), spec: { virtualMachineRef: { name: 'a' }, authSecretRef: { name: secret } } };
    const secrets = new BmcSecrets({ watches, bmc: named, onChange: () => undefined });
    return credentialsOf(secrets.credentials?.object, secrets);
  };
  expect([readingOf('login'), readingOf('other')]).toEqual([
    {
      problem:
        'the credentials in Secret login are too long for a shared agent: ' +
        'shorten them, or set spec.placement: Dedicated',
    },
    { problem: 'Secret other does not exist' },
  ]);
});

it('reads the credentials that clients change once, and uses the copy of the manager when that is as new', async () => {
  const { api, clock, members, list } = await bench();
  const name = credentialsSecretName('a');
  const put = (password: string) =>
    api.put(`${PATH}/${name}`, { apiVersion: 'v1', kind: 'Secret', ...{ data: { password } } }).metadata;
  const { uid = '', resourceVersion: first = '' } = put('first');
  const copy = (resourceVersion: string, password: string) =>
    list('a', { credentials: { name, uid, resourceVersion, data: { password } } });
  await copy(first, 'first');
  const { resourceVersion: second = '' } = put('second');
  const watch = members.placeOf(bmc('a'))?.watches.watch(SECRETS, name, () => undefined);
  expect(watch?.hasSettled).toBe(false);
  await clock.advance(0);
  expect([watch?.hasSettled, watch?.object?.data]).toEqual([true, { password: 'second' }]);
  await copy(second, 'second');
  expect(watch?.object?.data).toEqual({ password: 'second' });
  await copy(String(Number(second) + 1), 'third');
  expect(watch?.object?.data).toEqual({ password: 'third' });
  await clock.advance(600_000);
  expect(api.requests.filter((each) => each === `GET ${PATH}/${name}`)).toHaveLength(1);
});

it('reads the certificate when the entry names another version, and not before there is one', async () => {
  const { api, clock, members, list } = await bench();
  await list('a', {});
  const name = certificateSecretName('a');
  const watch = members.placeOf(bmc('a'))?.watches.watch(SECRETS, name, () => undefined);
  expect(watch?.hasSettled).toBe(true);
  const reads = (): number => api.requests.filter((each) => each === `GET ${PATH}/${name}`).length;
  for (const certificate of ['1', '2', '2']) {
    api.put(`${PATH}/${name}`, { apiVersion: 'v1', kind: 'Secret', ...{ data: { version: certificate } } });
    await list('a', { certificate });
  }
  await clock.advance(0);
  expect([reads(), watch?.object?.data]).toEqual([2, { version: '2' }]);
});

it('does not let the calls of a BMC that gets no answer keep those of another waiting', async () => {
  const { api, members, list } = await bench();
  await list('stuck', {});
  await list('other', { slot: 1 });
  const clientOf = (name: string): KubeClient | undefined => members.placeOf(bmc(name))?.own?.().client;
  const [stuck, other] = [clientOf('stuck'), clientOf('other')];
  const asked: string[] = [];
  api.intercept = ({ path }) => {
    asked.push(path.split('/').at(-1) ?? '');
    return new Promise(() => undefined);
  };
  for (let call = 0; call < 100; call += 1) void stuck?.find(SECRETS, { namespace: 'default', name: 'stuck' });
  void other?.find(SECRETS, { namespace: 'default', name: 'other' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual(['stuck', 'stuck', 'stuck', 'stuck', 'other']);
});
