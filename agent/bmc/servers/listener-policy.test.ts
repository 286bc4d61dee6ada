import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import type { HostDependencies } from '../../../protocols/hosts/index.ts';
import { listenerPolicy } from './listener-policy.ts';

type Events = NonNullable<NonNullable<VirtualMachineBMC['spec']['redfish']>['events']>;

function aBmc(events?: Events): VirtualMachineBMC {
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: { namespace: 'n', name: 'a' },
    spec: { virtualMachineRef: { name: 'a' }, redfish: events === undefined ? {} : { events } },
  };
}

/** An API server with one ConfigMap. */
function clientWith(data: Record<string, string>): KubeClient {
  const find = (_kind: unknown, ref: unknown) => {
    expect(ref).toEqual({ namespace: 'n', name: 'listener-ca' });
    return Promise.resolve({ data });
  };
  // Of a client, this is what it uses.
  return { find } as unknown as KubeClient;
}

const NONE = clientWith({});
const SURROUNDINGS: HostDependencies = { allowsLoopback: true, resolve: () => Promise.resolve(['192.0.2.80']) };

describe('where a BMC may send events', () => {
  it('is what it says as it is now', () => {
    let bmc = aBmc();
    const policy = listenerPolicy(
      () => bmc,
      NONE,
      SURROUNDINGS,
      () => 0,
    );
    expect(policy.allowedHosts()).toEqual([]);
    bmc = aBmc({ allowedHosts: ['listener.example'] });
    expect(policy.allowedHosts()).toEqual(['listener.example']);
  });

  it('is what the process knows beside that', () => {
    expect(listenerPolicy(aBmc, NONE, SURROUNDINGS, () => 0)).toMatchObject(SURROUNDINGS);
  });
});

describe('whom a BMC trusts there', () => {
  const events = { tls: { caBundleConfigMapRef: { name: 'listener-ca' } } };

  it('is whom Node trusts where it names nobody', async () => {
    expect(await listenerPolicy(aBmc, NONE, SURROUNDINGS, () => 0).authorities?.()).toBeUndefined();
  });

  it('is the authority of the ConfigMap that it names, too', async () => {
    const { authorities } = listenerPolicy(
      () => aBmc(events),
      clientWith({ 'ca.pem': 'PEM' }),
      SURROUNDINGS,
      () => 0,
    );
    expect((await authorities?.())?.at(-1)).toBe('PEM');
  });

  it('is nobody where that has no certificates', async () => {
    const { authorities } = listenerPolicy(
      () => aBmc(events),
      NONE,
      SURROUNDINGS,
      () => 0,
    );
    await expect(authorities?.()).rejects.toMatchObject({
      message: 'ConfigMap listener-ca of spec.redfish.events.tls.caBundleConfigMapRef has no key ca.pem',
    });
  });
});
