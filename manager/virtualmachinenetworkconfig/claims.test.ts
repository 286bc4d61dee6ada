import { describe, expect, it } from 'vitest';
import type { IPLease, VirtualMachine, VirtualMachineNetworkConfig } from '../../api/index.ts';
import { CLAIM, claimOf, contestOf, type ClaimSources } from './claims.ts';
import { aConfig, aLease } from './testing/builders.ts';

const MAC = '52:54:00:00:00:01';
const PLACE = { network: 'vms/prod', mac: MAC };

/** A VM of the config's name with these MAC addresses on `vms/prod`; undefined: KubeVirt chooses it. */
function aMachine(namespace: string, name: string, ...macs: (string | undefined)[]): VirtualMachine {
  const networks = macs.map((_, index) => ({ name: `net${index}`, multus: { networkName: 'vms/prod' } }));
  const interfaces = macs.map((macAddress, index) => ({
    name: `net${index}`,
    ...(macAddress === undefined ? {} : { macAddress }),
  }));
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace, name },
    spec: { template: { spec: { domain: { devices: { interfaces } }, networks } } },
  };
}

function config(namespace: string, name: string, created: number, ...macs: string[]): VirtualMachineNetworkConfig {
  const networkConfigs = macs.map((macAddress) => ({ networkName: 'vms/prod', macAddress }));
  const creationTimestamp = `2026-01-01T00:00:0${created}Z`;
  return aConfig({ vmName: name, networkConfigs }, { namespace, name, uid: `${namespace}-${name}`, creationTimestamp });
}

function sources(machines: readonly VirtualMachine[], configs: readonly VirtualMachineNetworkConfig[]): ClaimSources {
  return {
    hasKubeVirt: () => true,
    virtualMachines: {
      get: ({ namespace, name }: { namespace: string; name: string }) =>
        machines.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    },
    instances: { get: () => undefined },
    // The index decides; each test has one VM per name and one MAC address.
    configs: {
      byIndex: (index: string, key: string) =>
        index === 'mac'
          ? configs
          : configs.filter(({ metadata, spec }) => key === `${metadata.namespace ?? ''}/${spec.vmName}`),
    },
  } as unknown as ClaimSources; // the functions read nothing else
}

describe('the claim of a config to a MAC address', () => {
  it('is that of its VM: none without it, or without that interface', () => {
    const web = config('vms', 'web', 1, MAC);
    expect(claimOf(web, PLACE, sources([], [web]))).toBe(CLAIM.none);
    expect(claimOf(web, PLACE, sources([aMachine('vms', 'web', '52:54:00:00:00:09')], [web]))).toBe(CLAIM.none);
    expect(claimOf(web, PLACE, sources([aMachine('other', 'web', MAC)], [web]))).toBe(CLAIM.none);
    expect(claimOf(web, PLACE, sources([aMachine('vms', 'web', MAC.toUpperCase())], [web]))).toBe(CLAIM.has);
  });

  it('extends to as many unknown MAC addresses as the VM has interfaces without one', () => {
    const macs = [1, 2, 3].map((last) => `52:54:00:00:00:0${last}`);
    const web = config('vms', 'web', 1, ...macs);
    const given = sources([aMachine('vms', 'web', undefined, undefined)], [web]);
    const claims = macs.map((mac) => claimOf(web, { network: 'vms/prod', mac }, given));
    expect(claims).toEqual([CLAIM.mayHave, CLAIM.mayHave, CLAIM.none]);
  });
});

describe('a MAC address of several configs', () => {
  /** Name of the winner, as each of the two configs sees it. */
  function winner(
    a: VirtualMachineNetworkConfig,
    b: VirtualMachineNetworkConfig,
    machines: VirtualMachine[],
    leases: IPLease[] = [],
  ) {
    const given = sources(machines, [a, b]);
    const won = [a, b].filter((one) => contestOf(one, PLACE, leases, given).rival === undefined);
    return won.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`).join();
  }
  const older = config('tenant', 'older', 1, MAC);
  const younger = config('vms', 'younger', 2, MAC);

  it('belongs to the config whose VM has it, whatever is older or has a lease', () => {
    const lease = aLease('10.0.0.10', { config: 'older', vm: 'older' });
    const ref = { namespace: 'tenant', name: 'older' };
    const held = { ...lease, spec: { ...lease.spec, vmNetworkConfigRef: ref, vmRef: ref } };
    const machines = [aMachine('tenant', 'older', undefined), aMachine('vms', 'younger', MAC)];
    expect(winner(older, younger, machines, [held])).toBe('vms/younger');
    expect(contestOf(younger, PLACE, [held], sources(machines, [older, younger])).displaced).toEqual([held]);
  });

  it('belongs to the namespace of the network if both VMs have it, then to the older config', () => {
    const machines = [aMachine('tenant', 'older', MAC), aMachine('vms', 'younger', MAC)];
    expect(winner(older, younger, machines)).toBe('vms/younger');
    const foreign = config('another', 'younger', 2, MAC);
    expect(winner(older, foreign, [...machines, aMachine('another', 'younger', MAC)])).toBe('tenant/older');
  });

  it('is not blocked by a lease that is retained for a VM which is gone', () => {
    const kept = aLease('10.0.0.10', { config: 'gone', vm: 'gone', labels: ['retained'] });
    const given = (mac: string | undefined) => sources([aMachine('vms', 'younger', mac)], [younger]);
    expect(contestOf(younger, PLACE, [kept], given(MAC))).toEqual({ displaced: [kept] });
    expect(contestOf(younger, PLACE, [kept], given(undefined))).toEqual({ rival: kept, displaced: [] });
  });
});
