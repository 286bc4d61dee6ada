import { expect, it } from 'vitest';
import { contradictions, machinesLast } from './seed-cluster.ts';
import type { SandboxOptions } from './options.ts';

const options: SandboxOptions = {
  vms: 5,
  ipmiPort: 6230,
  apiPort: 0,
  filename: [],
  bootTime: 1000,
  logLevel: 'warn',
  logFormat: 'text',
};
const origin = { vms: 2, ipmiPort: 6230, manifests: [] };

it('contradictions names the given options that differ from the origin, and no others', () => {
  const all = (): boolean => true;
  expect(contradictions(options, all, origin)).toEqual([
    '--vms 5 has no effect: this sandbox was made with --vms 2, and is as it was left.',
  ]);
  expect(contradictions(options, () => false, origin)).toEqual([]);
  expect(contradictions(options, all, undefined)).toEqual([]);
});

it('machinesLast puts virtual machines last and keeps the order of the other objects', () => {
  const manifests = ['VirtualMachine', 'Secret', 'VirtualMachineNetworkConfig', 'IPPool'].map((kind, index) => ({
    file: `${index}.yaml`,
    object: { apiVersion: 'v1', kind, metadata: { name: 'x' } },
  }));
  expect(machinesLast(manifests).map(({ file }) => file)).toEqual(['1.yaml', '2.yaml', '3.yaml', '0.yaml']);
});
