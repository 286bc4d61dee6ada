import { describe, expect, it } from 'vitest';
import { withImpliedDevices } from '../../../api/index.ts';
import { KubeClient, type TransportRequest } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { aBareGuest, aVm, aVmi } from '../testing/builders.ts';
import { findPodBinding, hotplugsMedia, isOpen } from './kubevirt-configuration.ts';

/** A client that answers every request with this, and the requests it received. */
function answering(status: number, body: object) {
  const asked: string[] = [];
  const request = ({ path }: TransportRequest) => {
    asked.push(path);
    const stream = ReadableStream.from<Uint8Array>([Buffer.from(JSON.stringify(body))]);
    return Promise.resolve({ status, headers: {}, body: stream });
  };
  const transport = { request, close: () => Promise.resolve() };
  return { asked, client: new KubeClient({ transport, fieldManager: 'test' }) };
}

function kubeVirtWith(defaultNetworkInterface?: string): object {
  return { items: [{ spec: { configuration: { network: { defaultNetworkInterface } } } }] };
}

const bare = aVm({ guest: aBareGuest() });

it('takes the binding from the VMI without a request', async () => {
  const { asked, client } = answering(200, kubeVirtWith());
  for (const binding of ['bridge', 'masquerade'] as const) {
    const vmi = aVmi({ guest: withImpliedDevices(aBareGuest(), binding) });
    expect(await findPodBinding(bare, vmi, client)).toBe(binding);
  }
  // A preference may keep KubeVirt from adding one.
  expect(await findPodBinding(bare, aVmi({ guest: aBareGuest() }), client)).toBeUndefined();
  expect(await findPodBinding(aVm(), undefined, client)).toBeUndefined();
  expect(asked).toEqual([]);
});

it.each([
  ['masquerade', 'masquerade'],
  ['bridge', 'bridge'],
  [undefined, 'bridge'],
  ['slirp', undefined],
])('reads it from the %s KubeVirt configuration while the VM has no VMI', async (configured, binding) => {
  const { asked, client } = answering(200, kubeVirtWith(configured));
  expect(await findPodBinding(bare, undefined, client)).toBe(binding);
  expect(asked).toEqual([expect.stringMatching(/^\/apis\/kubevirt\.io\/v1\/kubevirts\?/)]);
});

it.each([403, 404])('returns no binding if the configuration cannot be read (%i)', async (status) => {
  const { client } = answering(status, { kind: 'Status', status: 'Failure', code: status, message: 'no' });
  expect(await findPodBinding(bare, undefined, client)).toBeUndefined();
});

const gates = (featureGates: string[], disabledFeatureGates: string[] = [], version = 'v1.8.4') => ({
  spec: { configuration: { developerConfiguration: { featureGates, disabledFeatureGates } } },
  status: { observedKubeVirtVersion: version },
});

describe('declarative hot-plug', () => {
  it.each([
    [gates([]), false],
    [gates(['DeclarativeHotplugVolumes']), true],
    [gates(['DeclarativeHotplugVolumes', 'HotplugVolumes']), false],
    [gates([], [], 'v1.9.0'), true],
    [gates([], [], 'v2.0.0'), true],
    [gates([], ['DeclarativeHotplugVolumes'], 'v1.9.0'), false],
    [gates(['HotplugVolumes'], [], 'v1.9.0'), false],
    [{}, false],
  ])('of %j is open: %s', (kubeVirt, expected) => {
    expect(isOpen(kubeVirt)).toBe(expected);
  });

  it('counts as closed if the configuration cannot be read', async () => {
    const api = new ScriptedApi();
    const client = new KubeClient({ transport: api, fieldManager: 'test' });
    for (const status of [403, 404]) {
      api.intercept = () => ({ status, body: 'no' });
      expect(await hotplugsMedia(client)).toBe(false);
    }
    api.intercept = () => ({ status: 200, body: { items: [] } });
    expect(await hotplugsMedia(client)).toBe(false);
    api.intercept = () => ({ status: 500, body: 'no' });
    await expect(hotplugsMedia(client)).rejects.toThrow();
  });
});
