import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '../../api/index.ts';
import { interfaceNameOf } from './holder.ts';

interface Nic {
  name: string;
  network: string;
  macAddress?: string;
}

function aVm(...nics: Nic[]): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace: 'vms', name: 'web' },
    spec: {
      template: {
        spec: {
          domain: {
            devices: {
              interfaces: nics.map(({ name, macAddress }) => ({
                name,
                ...(macAddress === undefined ? {} : { macAddress }),
              })),
            },
          },
          networks: nics.map(({ name, network }) => ({ name, multus: { networkName: network } })),
        },
      },
    },
  };
}

const MAC = '52:54:00:00:00:01';

describe('the name of an interface', () => {
  it('is that of the interface with the MAC address on the network', () => {
    const vm = aVm(
      { name: 'a', network: 'prod', macAddress: '52:54:00:00:00:02' },
      { name: 'b', network: 'vms/prod', macAddress: '52-54-00-00-00-01' },
    );
    expect(interfaceNameOf(vm, 'vms/prod', MAC)).toBe('b');
  });

  it('is that of the only interface without a MAC address; undefined for two of them', () => {
    expect(interfaceNameOf(aVm({ name: 'a', network: 'prod' }), 'vms/prod', MAC)).toBe('a');
    const two = aVm({ name: 'a', network: 'prod' }, { name: 'b', network: 'prod' });
    expect(interfaceNameOf(two, 'vms/prod', MAC)).toBeUndefined();
    expect(interfaceNameOf(aVm({ name: 'a', network: 'test' }), 'vms/prod', MAC)).toBeUndefined();
  });
});
