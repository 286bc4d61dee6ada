import { describe, expect, it } from 'vitest';
import { macFor } from './mac-assignment.ts';
import { aConfig, anInstance, aVirtualMachine, inputs, madeFor } from './testing/builders.ts';
import type { Inputs } from './interfaces.ts';
import { planOf } from './plan.ts';

const A = '02:00:00:00:00:0a';
const B = '02:00:00:00:00:0b';
const C = '02:00:00:00:00:0c';
const entries = (given: Inputs) => planOf(given).config?.spec.networkConfigs;

describe('the config of a virtual machine', () => {
  it('has an entry for each interface on a network with a pool, in order', () => {
    const vm = aVirtualMachine({ 'z@wan': C, 'default@pod': undefined, 'y@other/wan': B, x: A });
    expect(planOf(inputs(vm)).config).toMatchObject({
      metadata: { name: 'web', namespace: 'default', ...madeFor('vm-1') },
      spec: {
        vmName: 'web',
        networkConfigs: [
          { networkName: 'other/wan', macAddress: B },
          { networkName: 'default/lan', macAddress: A },
        ],
      },
    });
  });

  it('is not created for a VM without such an interface', () => {
    expect(planOf(inputs(aVirtualMachine({ 'default@pod': undefined, 'x@unmanaged': A })))).toEqual({
      remove: [],
      left: [],
      complaints: [],
    });
  });

  it('supports more than four interfaces', () => {
    const nics = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}`, `02:00:00:00:01:${10 + i}`]));
    expect(entries(inputs(aVirtualMachine(nics)))).toHaveLength(12);
  });

  it('is not written again while nothing changes, with any number of interfaces', () => {
    const vm = aVirtualMachine({ x: A, 'y@san': B, z: C });
    const { config } = planOf(inputs(vm));
    const made = aConfig(config?.spec.networkConfigs ?? [], madeFor('vm-1'));
    expect(planOf(inputs(vm, { configs: [made] })).config).toBeUndefined();
  });

  it('drops the entry of an interface that is being unplugged', () => {
    const vm = aVirtualMachine({ x: A, y: B });
    Object.assign(vm.spec.template.spec.domain.devices.interfaces[1] ?? {}, { state: 'absent' });
    expect(entries(inputs(vm))).toEqual([{ networkName: 'default/lan', macAddress: A }]);
  });

  it('keeps the interfaces of a running instance beside those of the template until the instance ends', () => {
    const instance = anInstance(aVirtualMachine({ x: A, y: B }));
    const vm = aVirtualMachine({ 'x@san': A });
    const configs = [aConfig([{ networkName: 'default/lan', macAddress: A, ipAddress: '10.0.0.9' }], madeFor('vm-1'))];
    expect(entries(inputs(vm, { instance, configs }))).toEqual([
      { networkName: 'default/san', macAddress: A },
      { networkName: 'default/lan', macAddress: A, ipAddress: '10.0.0.9' },
      { networkName: 'default/lan', macAddress: B },
    ]);
    expect(entries(inputs(vm, { configs }))).toEqual([{ networkName: 'default/san', macAddress: A }]);
  });

  it('replaces one that vm-dhcp-controller created', () => {
    const theirs = aConfig([{ networkName: 'lan', macAddress: A, ipAddress: '10.0.0.9' }], {
      labels: { 'harvesterhci.io/vmName': 'web' },
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'vm-1' }],
    });
    expect(planOf(inputs(aVirtualMachine({ x: A }), { configs: [theirs] })).config).toMatchObject({
      metadata: { name: 'web', uid: 'config-1', resourceVersion: '9', ...madeFor('vm-1') },
      spec: { networkConfigs: [{ networkName: 'default/lan', macAddress: A, ipAddress: '10.0.0.9' }] },
    });
  });

  it('waits until the config of an earlier VM of that name is gone', () => {
    const old = aConfig([{ networkName: 'default/lan', macAddress: A }], madeFor('vm-0'));
    expect(planOf(inputs(aVirtualMachine({ x: B }), { configs: [old] }))).toMatchObject({ left: [old] });
    const going = { ...old, metadata: { ...old.metadata, deletionTimestamp: '2026-11-21T00:00:00Z' } };
    const plan = planOf(inputs(aVirtualMachine({ x: B }), { configs: [going] }));
    expect(plan.left).toEqual([]);
    expect(plan.config).toBeUndefined();
  });
});

describe("a user's config", () => {
  const theirs = aConfig([{ networkName: 'lan', macAddress: A, ipAddress: '10.0.0.9' }], { name: 'mine' });

  it('takes precedence for its networks and is not changed', () => {
    const vm = aVirtualMachine({ x: A, 'y@san': B });
    const plan = planOf(inputs(vm, { configs: [theirs] }));
    expect(plan.remove).toEqual([]);
    expect(plan.config).toMatchObject({
      metadata: { name: 'web' },
      spec: { networkConfigs: [{ networkName: 'default/san', macAddress: B }] },
    });
    expect(planOf(inputs(aVirtualMachine({ x: A }), { configs: [theirs] })).config).toBeUndefined();
  });

  it('prevents MAC assignment while it is paused', () => {
    const paused = { ...theirs, spec: { ...theirs.spec, paused: true } };
    const plan = planOf(inputs(aVirtualMachine({ x: A }), { configs: [paused] }));
    expect([plan.config, plan.remove]).toEqual([undefined, []]);
  });

  it('makes the manager choose another name if it has the name of the VM', () => {
    const named = { ...theirs, metadata: { ...theirs.metadata, name: 'web' } };
    const { config } = planOf(inputs(aVirtualMachine({ x: A, 'y@san': B }), { configs: [named] }));
    expect(config?.metadata.name).toMatch(/^web-[0-9a-f]{8}$/);
    const long = `${'v'.repeat(243)}.${'v'.repeat(9)}`;
    const ofLong = { ...named, metadata: { ...named.metadata, name: long }, spec: { ...named.spec, vmName: long } };
    const vm = aVirtualMachine({ 'y@san': B }, { name: long });
    expect(planOf(inputs(vm, { configs: [ofLong] })).config?.metadata.name).toMatch(/^v{243}-[0-9a-f]{8}$/);
  });
});

describe("user-defined fields in the manager's config", () => {
  const lan = { networkName: 'default/lan', macAddress: A };
  const kept = { ...lan, ipAddress: '10.0.0.9', bootFiles: { ipxe: 'http://boot/web.ipxe' }, retain: true };
  const configs = [aConfig([kept], madeFor('vm-1'))];

  it('stay with the interface if its MAC address changes', () => {
    expect(entries(inputs(aVirtualMachine({ x: B }), { configs }))).toEqual([{ ...kept, macAddress: B }]);
  });

  it('do not move to another network', () => {
    expect(entries(inputs(aVirtualMachine({ 'x@san': A }), { configs }))).toEqual([
      { networkName: 'default/san', macAddress: A },
    ]);
  });
});

describe('an annotation with a static address', () => {
  const annotations = { 'static-ip.harvesterhci.io/x': '10.0.0.7' };

  it('removes its address when it is removed, but not one that a user set since', () => {
    const made = planOf(inputs(aVirtualMachine({ x: A }, { annotations }))).config;
    const metadata = { ...madeFor('vm-1'), annotations: made?.metadata.annotations ?? {} };
    const config = aConfig(made?.spec.networkConfigs ?? [], metadata);
    expect(entries(inputs(aVirtualMachine({ x: A }), { configs: [config] }))).toEqual([
      { networkName: 'default/lan', macAddress: A },
    ]);
    const edited = aConfig([{ networkName: 'default/lan', macAddress: A, ipAddress: '10.0.0.8' }], metadata);
    expect(entries(inputs(aVirtualMachine({ x: A }), { configs: [edited] }))).toEqual([
      { networkName: 'default/lan', macAddress: A, ipAddress: '10.0.0.8' },
    ]);
  });

  it.each([
    [{ 'static-ip.harvesterhci.io/x': '10.0.0' }, /static-ip.harvesterhci.io\/x: "10.0.0" is not an IPv4 address/],
    [{ 'static-ip.harvesterhci.io/q': '10.0.0.7' }, /no interface q/],
  ])('causes an Event if it is invalid: %j', (wrong, complaint) => {
    const plan = planOf(inputs(aVirtualMachine({ x: A }, { annotations: wrong })));
    expect(plan.complaints).toEqual([expect.stringMatching(complaint)]);
    expect(plan.config?.spec.networkConfigs).toEqual([{ networkName: 'default/lan', macAddress: A }]);
  });
});

describe('an interface without a MAC address', () => {
  const vm = aVirtualMachine({ x: undefined });
  const mac = macFor({ clusterUid: 'cluster-1', namespace: 'default', vmName: 'web', interfaceName: 'x' });

  it('is assigned one while the VM is stopped, if the VM has not changed since it was read', () => {
    const plan = planOf(inputs(vm));
    expect(plan.config).toBeUndefined();
    expect(plan.assign).toEqual({
      macs: { x: mac },
      patch: [
        { op: 'test', path: '/metadata/uid', value: 'vm-1' },
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        { op: 'test', path: '/spec/template/spec/domain/devices/interfaces/0/name', value: 'x' },
        { op: 'add', path: '/spec/template/spec/domain/devices/interfaces/0/macAddress', value: mac },
      ],
    });
  });

  it.each<[string, Partial<Inputs>]>([
    ['the installation gives none', { clusterUid: undefined }],
    ['the machine runs', { instance: anInstance(vm) }],
    ['the machine is being started', { vm: { ...vm, status: { created: true } } }],
    ['its network has no pool', { managedNetworks: new Set() }],
  ])('is assigned none if %s', (_why, change) => {
    expect(planOf(inputs(vm, change)).assign).toBeUndefined();
  });

  it("uses Harvester's", () => {
    const annotations = { 'harvesterhci.io/mac-address': JSON.stringify({ x: A.toUpperCase(), y: 7 }) };
    const plan = planOf(inputs(aVirtualMachine({ x: undefined }, { annotations })));
    expect(plan.assign).toBeUndefined();
    expect(plan.config?.spec.networkConfigs).toEqual([{ networkName: 'default/lan', macAddress: A }]);
  });

  it('uses the one that KubeVirt reports for the running VM, and keeps it until there is another', () => {
    expect(entries(inputs(vm, { instance: anInstance(vm, { x: A }) }))).toEqual([
      { networkName: 'default/lan', macAddress: A },
    ]);
    const configs = [aConfig([{ networkName: 'default/lan', macAddress: A }], madeFor('vm-1'))];
    expect(planOf(inputs(vm, { configs, clusterUid: undefined })).config).toBeUndefined();
    expect(entries(inputs(vm, { configs, instance: anInstance(vm, { x: B }) }))).toEqual([
      { networkName: 'default/lan', macAddress: B },
    ]);
  });

  it('uses the one of the running instance, not a newer one of the template', () => {
    const instance = anInstance(vm, { x: A });
    expect(entries(inputs(aVirtualMachine({ x: B }), { instance }))).toEqual([
      { networkName: 'default/lan', macAddress: A },
    ]);
    const ended = { ...instance, status: { phase: 'Succeeded' as const } };
    expect(entries(inputs(aVirtualMachine({ x: B }), { instance: ended }))).toEqual([
      { networkName: 'default/lan', macAddress: B },
    ]);
  });
});
