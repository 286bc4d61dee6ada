import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import type { HostDependencies } from '../../../protocols/hosts/index.ts';
import { aBmc } from '../testing/builders.ts';
import { listenerPolicy, RememberedBundle } from './listener-policy.ts';

type Events = NonNullable<NonNullable<VirtualMachineBMC['spec']['redfish']>['events']>;

const withEvents = (events: Events) => aBmc({ spec: { virtualMachineRef: { name: 'a' }, redfish: { events } } });

/** An API server with one ConfigMap. */
function clientWith(data: Record<string, string>): KubeClient {
  const find = (_kind: unknown, ref: unknown) => {
    expect(ref).toEqual({ namespace: 'vms', name: 'listener-ca' });
    return Promise.resolve({ data });
  };
  // Only this method is used.
  return { find } as unknown as KubeClient;
}

const NONE = clientWith({});
const DEPENDENCIES: HostDependencies = { allowsLoopback: true, resolve: () => Promise.resolve(['192.0.2.80']) };

describe('the hosts that a BMC may send events to', () => {
  it('are those of its current spec', () => {
    let bmc = aBmc();
    const policy = listenerPolicy(
      () => bmc,
      NONE,
      DEPENDENCIES,
      () => 0,
    );
    expect(policy.allowedHosts()).toEqual([]);
    bmc = withEvents({ allowedHosts: ['listener.example'] });
    expect(policy.allowedHosts()).toEqual(['listener.example']);
  });

  it('include the dependencies of the process', () => {
    expect(
      listenerPolicy(
        () => aBmc(),
        NONE,
        DEPENDENCIES,
        () => 0,
      ),
    ).toMatchObject(DEPENDENCIES);
  });
});

describe('the certificates that a BMC trusts there', () => {
  const events = { tls: { caBundleConfigMapRef: { name: 'listener-ca' } } };

  it('are those of Node without a ConfigMap', async () => {
    expect(
      await listenerPolicy(
        () => aBmc(),
        NONE,
        DEPENDENCIES,
        () => 0,
      ).authorities?.(),
    ).toBeUndefined();
  });

  it('include those of the ConfigMap that it names', async () => {
    const { authorities } = listenerPolicy(
      () => withEvents(events),
      clientWith({ 'ca.pem': 'PEM' }),
      DEPENDENCIES,
      () => 0,
    );
    expect((await authorities?.())?.at(-1)).toBe('PEM');
  });

  it('are an error if the ConfigMap has none', async () => {
    const { authorities } = listenerPolicy(
      () => withEvents(events),
      NONE,
      DEPENDENCIES,
      () => 0,
    );
    await expect(authorities?.()).rejects.toMatchObject({
      message: 'ConfigMap listener-ca of spec.redfish.events.tls.caBundleConfigMapRef has no key ca.pem',
    });
  });
});

const CA: ObjectRef = { namespace: 'n', name: 'ca' };

function bench(read: (times: number) => Promise<string[]> = (times) => Promise.resolve([`PEM ${times}`])) {
  const clock = { now: 0 };
  const asked: string[] = [];
  const bundle = new RememberedBundle(
    ({ name }) => {
      asked.push(name);
      return read(asked.length);
    },
    () => clock.now,
  );
  return { bundle, clock, asked };
}

describe('the certificates of a ConfigMap', () => {
  it('are read once in 10 s', async () => {
    const { bundle, clock, asked } = bench();
    expect(await Promise.all([bundle.of(CA), bundle.of(CA)])).toEqual([['PEM 1'], ['PEM 1']]);
    clock.now = 9_999;
    expect(await bundle.of(CA)).toEqual(['PEM 1']);
    clock.now = 10_000;
    expect(await bundle.of(CA)).toEqual(['PEM 2']);
    expect(asked).toEqual(['ca', 'ca']);
  });

  it('are read again if another ConfigMap is named', async () => {
    const { bundle, asked } = bench();
    await bundle.of(CA);
    await bundle.of({ ...CA, name: 'other' });
    expect(asked).toEqual(['ca', 'other']);
  });

  it('are read again after an error', async () => {
    const { bundle } = bench((times) => (times === 1 ? Promise.reject(new Error('no')) : Promise.resolve(['PEM'])));
    const both = await Promise.allSettled([bundle.of(CA), bundle.of(CA)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await bundle.of(CA)).toEqual(['PEM']);
  });
});
