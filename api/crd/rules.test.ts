import { evaluate } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { CUSTOM_RESOURCES } from './custom-resources.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Messages of a kind's rules at a path that a value violates; with `oldSelf`, also of transition rules. */
function broken(kind: string, path: string, self: unknown, oldSelf?: unknown): string[] {
  const resource = CUSTOM_RESOURCES.find((candidate) => candidate.kind.kind === kind);
  if (resource === undefined) throw new Error(`no ${kind}`);
  let schema: StructuralSchema | undefined =
    customResourceDefinition(resource).spec.versions[0]?.schema.openAPIV3Schema;
  for (const name of path.split('.').filter((part) => part !== '')) {
    schema = name === '[]' ? schema?.items : schema?.properties?.[name];
  }
  return (schema?.['x-kubernetes-validations'] ?? [])
    .filter(({ rule }) => oldSelf !== undefined || !rule.includes('oldSelf'))
    .filter(({ rule }) => evaluate(rule, { self, oldSelf }) !== true)
    .map(({ message }) => message);
}

describe('the rules of VirtualMachineBMC and IPPool', () => {
  it.each(['VirtualMachineBMC', 'IPPool'])('limit the name of a %s to the length of a label', (kind) => {
    expect(broken(kind, '', { metadata: { name: 'a'.repeat(63) } })).toEqual([]);
    expect(broken(kind, '', { metadata: { name: 'a'.repeat(64) } })).toEqual(['name must have 63 characters or fewer']);
  });
});

describe('the rules of IPPool', () => {
  it.each([
    ['spec.networkName', 'a', 'b'],
    ['spec.ipv4Config.cidr', '10.0.0.0/24', '10.0.1.0/24'],
    ['spec.ipv4Config.serverIP', 'a', 'b'],
  ])('make %s immutable', (path, before, after) => {
    expect(broken('IPPool', path, before, before)).toEqual([]);
    expect(broken('IPPool', path, after, before)).toEqual(['field is immutable']);
  });

  it.each([
    ['cidr', '10.0.0.0/24', ['fd00::/64', '10.0.0.0/33', '10.0.0/24', '10.0.0.0', '10.0.0.256/24'], 'an IPv4 network'],
    ['pool.exclude.[]', '10.0.0.5-10.0.0.9', ['fd00::1', 'router', ''], 'an IPv4 address, a range'],
    ['reservations.[].macAddress', '02-00-00-00-00-AA', ['02:00:00:00:00', '0200.0000.0001', 'x'], 'a MAC address'],
    ['routes.[].destination', '0.0.0.0/0', ['::/0'], 'an IPv4 network'],
  ])('describe in words what %s needs', (path, right, wrong, words) => {
    expect(broken('IPPool', `spec.ipv4Config.${path}`, right)).toEqual([]);
    for (const value of wrong)
      expect(broken('IPPool', `spec.ipv4Config.${path}`, value)).toEqual([expect.stringContaining(`must be ${words}`)]);
  });

  it('forbid the removal of ipv4Config, after which another cidr and serverIP could be added', () => {
    const message = 'ipv4Config cannot be removed: delete the pool instead';
    expect(broken('IPPool', 'spec', {}, { ipv4Config: {} })).toEqual([message]);
    expect(broken('IPPool', 'spec', { ipv4Config: {} }, { ipv4Config: {} })).toEqual([]);
    expect(broken('IPPool', 'spec', { ipv4Config: {} }, {})).toEqual([]);
    expect(broken('IPPool', 'spec', {}, {})).toEqual([]);
  });

  it('require serverIP as the first of serverIPs', () => {
    const path = 'spec.ipv4Config';
    expect(broken('IPPool', path, { serverIP: 'a' })).toEqual([]);
    expect(broken('IPPool', path, { serverIP: 'a', serverIPs: ['a', 'b'] })).toEqual([]);
    expect(broken('IPPool', path, { serverIP: 'a', serverIPs: ['b', 'a'] })).toHaveLength(1);
  });

  it('require a reservation to name a MAC address or a VM', () => {
    const path = 'spec.ipv4Config.reservations.[]';
    expect(broken('IPPool', path, { macAddress: 'm' })).toEqual([]);
    expect(broken('IPPool', path, { vmName: 'v' })).toEqual([]);
    expect(broken('IPPool', path, {})).toHaveLength(1);
    expect(broken('IPPool', path, { macAddress: 'm', vmName: 'v' })).toHaveLength(1);
  });
});

describe('the rules of VirtualMachineNetworkConfig', () => {
  it('make the VM immutable', () => {
    expect(broken('VirtualMachineNetworkConfig', 'spec.vmName', 'b', 'a')).toEqual(['field is immutable']);
  });
});

describe('the rules of IPLease', () => {
  it('require the address in the name', () => {
    const lease = (name: string) => ({ metadata: { name }, spec: { ipAddress: '10.0.0.3' } });
    expect(broken('IPLease', '', lease('net.10.0.0.3'))).toEqual([]);
    expect(broken('IPLease', '', lease('net.10.0.0.33'))).toEqual(['name must be <pool>.<ipAddress>']);
    expect(broken('IPLease', '', lease('net.110.0.0.3'))).toEqual(['name must be <pool>.<ipAddress>']);
  });

  it.each(['ipAddress', 'macAddress', 'vmNetworkConfigRef', 'vmRef', 'interfaceName', 'hostname'])(
    'make %s immutable',
    (field) => {
      expect(broken('IPLease', `spec.${field}`, '02:00:00:00:00:0b', 'a')).toEqual(['field is immutable']);
    },
  );

  it('refuse adding or removing immutable fields', () => {
    expect(broken('IPLease', 'spec', {}, {})).toEqual([]);
    expect(broken('IPLease', 'spec', { hostname: 'a' }, {})).toEqual(['hostname is immutable']);
    expect(broken('IPLease', 'spec', {}, { vmRef: {} })).toEqual(['vmRef is immutable']);
  });

  it('allow changes of boot', () => {
    expect(broken('IPLease', 'spec', { boot: { mode: 'Pxe' } }, {})).toEqual([]);
  });
});
