import { describe, expect, it } from 'vitest';
import { aConfig, aLease, aPool, configInputs } from '../testing/builders.ts';
import { evaluate, messageOf } from './verdict.ts';
import { canonicalMacs, CONFIG_RULES } from './config-rules.ts';
import type { ConfigInputs } from './config-inputs.ts';

const A = '02:00:00:00:00:0a';
const B = '02:00:00:00:00:0b';
const POOL = aPool({
  pool: { start: '10.9.0.10', end: '10.9.0.99', exclude: ['10.9.0.90-10.9.0.99'] },
  reservations: [
    { macAddress: '02-00-00-00-00-0B', ipAddress: '10.9.0.20' },
    { vmName: 'db', ipAddress: '10.9.0.5' },
  ],
});
const lan = (macAddress: string, ipAddress?: string) => ({
  networkName: 'lan',
  macAddress,
  ...(ipAddress === undefined ? {} : { ipAddress }),
});
const say = (config: ReturnType<typeof aConfig>, inputs: ConfigInputs = configInputs([POOL])) => {
  const { errors, warnings } = evaluate(CONFIG_RULES, config, undefined, inputs);
  return { errors: errors.map(messageOf), warnings };
};

describe('the addresses that a config requests', () => {
  it.each([
    ['10.9.1.1', 'is in no IPPool of network default/lan: default/lan (10.9.0.10-10.9.0.99)'],
    ['10.9.0.0', 'is the network address of IPPool default/lan'],
    ['10.9.0.255', 'is the broadcast address of IPPool default/lan'],
    ['10.9.0.1', 'is the router of IPPool default/lan'],
    ['10.9.0.2', "is a DHCP server's address of IPPool default/lan"],
    ['10.9.0.150', 'is outside the range of default/lan (10.9.0.10-10.9.0.99)'],
    ['10.9.0.95', 'is excluded in IPPool default/lan'],
    ['10.9.0.20', 'is reserved in IPPool default/lan for 02-00-00-00-00-0B'],
    ['10.9.0.5', 'is reserved in IPPool default/lan for VirtualMachine db'],
    ['10.9.0', 'is not an IPv4 address'],
  ])('are rejected: %s', (address, detail) => {
    expect(say(aConfig('web', lan(A, address))).errors).toEqual([
      `spec.networkConfigs[0].ipAddress: Invalid value: "${address}": ${detail}`,
    ]);
  });

  it('may be reserved for the config, by MAC address or by VM', () => {
    expect(say(aConfig('web', lan(B, '10.9.0.20'))).errors).toEqual([]);
    expect(say(aConfig('db', lan(A, '10.9.0.5'))).errors).toEqual([]);
  });

  it('may be in the second of two pools', () => {
    const second = aPool({ pool: { start: '10.9.0.100', end: '10.9.0.120' } }, { name: 'more' });
    expect(say(aConfig('web', lan(A, '10.9.0.110')), configInputs([POOL, second])).errors).toEqual([]);
  });

  it('may be leased to the config itself, but not to another, which is named', () => {
    const inputs = configInputs([POOL], [aLease('10.9.0.30')]);
    expect(say(aConfig('web', lan(A, '10.9.0.30')), inputs).errors).toEqual([]);
    expect(say(aConfig('db', lan(B, '10.9.0.30')), inputs).errors).toEqual([
      'spec.networkConfigs[0].ipAddress: Invalid value: "10.9.0.30": is taken by VirtualMachine default/web, 02:00:00:00:00:0a',
    ]);
  });

  it('cause a warning while the previous holder may still use them', () => {
    const inputs = configInputs([POOL], [aLease('10.9.0.30', { 'network.harvesterhci.io/released': 'true' })]);
    const { errors, warnings } = say(aConfig('db', lan(B, '10.9.0.30')), inputs);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('10.9.0.30 was VirtualMachine default/web')]);
  });

  it('may be requested only once', () => {
    expect(say(aConfig('web', lan(A, '10.9.0.30'), lan(B, '10.9.0.30'))).errors).toEqual([
      'spec.networkConfigs[1].ipAddress: Duplicate value: "10.9.0.30": is that of networkConfigs[0]',
    ]);
  });

  it.each(['a/b/c', 'Lan', '/lan', 'lan/'])('need a valid network name: not %j', (networkName) => {
    expect(say(aConfig('web', { networkName, macAddress: A })).errors).toEqual([
      `spec.networkConfigs[0].networkName: Invalid value: "${networkName}": is neither the name of a net-attach-def nor namespace/name`,
    ]);
  });

  it('are accepted before the pool exists', () => {
    const { errors, warnings } = say(aConfig('web', { networkName: 'san', macAddress: A, ipAddress: '1.2.3.4' }));
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('network default/san has no IPPool yet')]);
  });
});

describe('the MAC addresses of a config', () => {
  it.each([
    ['02:00:00:00:00', 'is not a MAC address'],
    ['00:00:00:00:00:00', 'is not the address of a network card'],
    ['01:00:5e:00:00:01', 'is a multicast address'],
  ])('are rejected: %s', (mac, detail) => {
    expect(say(aConfig('web', lan(mac))).errors).toEqual([
      expect.stringContaining(`macAddress: Invalid value: "${mac}": ${detail}`),
    ]);
  });

  it('must be unique on a network in any spelling', () => {
    expect(say(aConfig('web', lan(A), { networkName: 'default/lan', macAddress: '02-00-00-00-00-0A' })).errors).toEqual(
      [
        'spec.networkConfigs[1].macAddress: Duplicate value: "02-00-00-00-00-0A": is that of networkConfigs[0] on network default/lan',
      ],
    );
    expect(say(aConfig('web', lan(A), { networkName: 'other/lan', macAddress: A })).errors).toEqual([]);
  });

  it('cause a warning if another config has them', () => {
    const inputs = { ...configInputs([POOL]), othersWithMac: () => [aConfig('db', lan(A))] };
    expect(say(aConfig('web', lan(A)), inputs).warnings).toEqual([
      expect.stringContaining('VirtualMachineNetworkConfig default/db has 02:00:00:00:00:0a on network default/lan'),
    ]);
  });

  it('cause a warning with a boot file for HTTP that is not a URL', () => {
    const entry = { ...lan(A), bootFiles: { 'efi-riscv64': 'x.efi', 'http-riscv64': 'x.efi' } };
    expect(say(aConfig('web', entry)).warnings).toEqual([
      'spec.networkConfigs[0].bootFiles.http-riscv64: "x.efi" is not an http or https URL',
    ]);
  });

  it.each<[unknown, unknown]>([
    [
      { networkConfigs: [lan('02-00-00-00-00-0A'), lan(B), lan('0200.0000.000a')] },
      ['/spec/networkConfigs/0/macAddress', '/spec/networkConfigs/2/macAddress'],
    ],
    [{ networkConfigs: [lan('x'), 7, null, {}] }, []],
    [{ networkConfigs: 'x' }, []],
    [undefined, []],
  ])('are converted to the canonical form: %j', (spec, paths) => {
    const patch = canonicalMacs({ spec });
    expect(patch.map(({ path }) => path)).toEqual(paths);
    for (const op of patch) expect(op).toMatchObject({ op: 'replace', value: A });
  });
});
