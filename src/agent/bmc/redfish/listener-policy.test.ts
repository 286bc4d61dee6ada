import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { KubeClient } from '../../../kube/index.ts';
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

describe('where a BMC may send events', () => {
  it('is what it says as it is now', () => {
    let bmc = aBmc();
    const policy = listenerPolicy(() => bmc, NONE);
    expect(policy.allowedHosts()).toEqual([]);
    bmc = aBmc({ allowedHosts: ['listener.example'] });
    expect(policy.allowedHosts()).toEqual(['listener.example']);
  });

  it('is not this machine itself unless the process is told so', () => {
    expect(listenerPolicy(aBmc, NONE).allowsLoopback).toBe(false);
    expect(listenerPolicy(aBmc, NONE, { allowsLoopback: true }).allowsLoopback).toBe(true);
  });

  it('is found as the system finds it', async () => {
    const { resolve } = listenerPolicy(aBmc, NONE);
    expect(await resolve('localhost')).toEqual(expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]));
  });
});

describe('whom a BMC trusts there', () => {
  const events = { tls: { caBundleConfigMapRef: { name: 'listener-ca' } } };

  it('is whom Node trusts where it names nobody', async () => {
    expect(await listenerPolicy(aBmc, NONE).authorities?.()).toBeUndefined();
  });

  it('is the authority of the ConfigMap that it names, too', async () => {
    const { authorities } = listenerPolicy(() => aBmc(events), clientWith({ 'ca.pem': 'PEM' }));
    expect((await authorities?.())?.at(-1)).toBe('PEM');
  });

  it('is nobody where that has no certificates', async () => {
    const { authorities } = listenerPolicy(() => aBmc(events), NONE);
    await expect(authorities?.()).rejects.toMatchObject({
      message: 'ConfigMap listener-ca of spec.redfish.events.tls.caBundleConfigMapRef has no key ca.pem',
    });
  });
});
