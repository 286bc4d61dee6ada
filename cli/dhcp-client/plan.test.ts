import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ARCHITECTURE, OPTION, USUAL_PARAMETERS } from '../../protocols/dhcp/index.ts';
import type { DhcpClientFlags } from './command.ts';
import { identityFrom, transportFrom, UsageError } from './plan.ts';

const SERVER = { host: '127.0.0.1', port: 67 };

function flags(given: Partial<DhcpClientFlags> = {}): DhcpClientFlags {
  return {
    mac: 0x525400123456,
    ipxe: false,
    renew: false,
    release: false,
    timeout: 1_000,
    output: 'text',
    ...given,
  };
}

/** An entry of `os.networkInterfaces` with the fields that the code uses. */
function addresses(family: 'IPv4' | 'IPv6', address: string): NetworkInterfaceInfo[] {
  const common = { address, netmask: '', mac: '', internal: false, cidr: null };
  return [family === 'IPv4' ? { ...common, family } : { ...common, family, scopeid: 0 }];
}

describe('identityFrom', () => {
  it('describes an operating system by default', () => {
    const identity = identityFrom(flags({ hostname: 'vm-1' }));
    expect(identity).toMatchObject({ hostname: 'vm-1', parameterRequestList: USUAL_PARAMETERS });
    expect(identity.vendorClass).toBeUndefined();
  });

  it('describes firmware of the given architecture, or iPXE', () => {
    expect(identityFrom(flags({ arch: 'http-x64' })).architectures).toEqual([ARCHITECTURE.httpX64]);
    const identity = identityFrom(flags({ ipxe: true }));
    expect(identity.architectures).toEqual([ARCHITECTURE.bios]);
    expect(identity.parameterRequestList).toContain(OPTION.ipxe);
  });

  it('requests the given options only', () => {
    expect(identityFrom(flags({ arch: 'bios', optionCodes: [3] })).parameterRequestList).toEqual([3]);
  });

  it('sets the broadcast flag if the client is directly on the network', () => {
    expect(identityFrom(flags()).wantsBroadcast).toBe(true);
    expect(identityFrom(flags({ server: SERVER, relay: 1 }))).toMatchObject({ wantsBroadcast: false, relayAddress: 1 });
  });
});

describe('transportFrom', () => {
  const interfaces = { eth1: addresses('IPv4', '10.0.0.2'), eth2: addresses('IPv6', 'fe80::1') };

  it.each<Partial<DhcpClientFlags>>([
    {},
    { server: SERVER },
    { server: SERVER, renew: true },
    { interface: 'eth1' },
    { bind: '10.0.0.2' },
  ])('accepts valid flags (%#)', (given) => {
    expect(() => transportFrom(flags(given), interfaces)).not.toThrow();
  });

  it.each<[Partial<DhcpClientFlags>, RegExp]>([
    [{ relay: 1 }, /--relay needs --server/],
    [{ renew: true }, /--renew needs --server/],
    [{ interface: 'eth1', bind: '10.0.0.2' }, /not both/],
    [{ interface: 'eth0' }, /no interface eth0\. There are: eth1, eth2/],
    [{ interface: 'eth2' }, /eth2 has no IPv4 address/],
  ])('rejects contradictory flags (%#)', (given, message) => {
    const plan = () => transportFrom(flags(given), interfaces);
    expect(plan).toThrow(UsageError);
    expect(plan).toThrow(message);
  });
});
