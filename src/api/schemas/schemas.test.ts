import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { z } from 'zod';
import { ipLease, ipPool, virtualMachineBMC, virtualMachineNetworkConfig } from './index.ts';

const schemas: Record<string, z.ZodType> = {
  VirtualMachineBMC: virtualMachineBMC,
  IPPool: ipPool,
  VirtualMachineNetworkConfig: virtualMachineNetworkConfig,
  IPLease: ipLease,
};

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: unknown;
}

/** The objects of our kinds in a folder's manifests. */
async function manifestsIn(folder: string): Promise<Manifest[]> {
  const url = new URL(folder, import.meta.url);
  const files = (await readdir(url)).filter((file) => file.endsWith('.yaml'));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, url), 'utf8')));
  return texts
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest))
    .filter(({ kind }) => kind in schemas);
}

const examples = await manifestsIn('../../../examples/');
const published = await manifestsIn('./fixtures/');

describe('the schemas', () => {
  it.each(examples.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const))(
    'take the example %s %s with every field of it',
    (kind, _name, manifest) => {
      expect(schemas[kind]?.parse(manifest)).toMatchObject({ spec: manifest.spec });
    },
  );

  it('have an example of each kind', () => {
    expect(new Set(examples.map(({ kind }) => kind))).toEqual(new Set(Object.keys(schemas)));
  });

  it.each(published.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const))(
    'take the published %s %s unchanged',
    (kind, _name, manifest) => {
      expect(schemas[kind]?.parse(manifest)).toMatchObject({ spec: manifest.spec });
    },
  );

  const vm = { virtualMachineRef: { name: 'testvm' } };
  const net = (ipv4Config: object) => ({
    networkName: 'net',
    ipv4Config: {
      cidr: '10.0.0.0/24',
      serverIP: '10.0.0.2',
      pool: { start: '10.0.0.3', end: '10.0.0.9' },
      ...ipv4Config,
    },
  });

  it.each([
    ['VirtualMachineBMC', {}, ['spec', 'virtualMachineRef']],
    ['VirtualMachineBMC', { virtualMachineRef: { name: '' } }, ['spec', 'virtualMachineRef', 'name']],
    ['VirtualMachineBMC', { ...vm, ipmi: { cipherSuites: [0] } }, ['spec', 'ipmi', 'cipherSuites', 0]],
    ['VirtualMachineBMC', { ...vm, service: { type: 'Ingress' } }, ['spec', 'service', 'type']],
    [
      'VirtualMachineBMC',
      { ...vm, agent: { resources: { limits: { cpu: 'much' } } } },
      ['spec', 'agent', 'resources', 'limits', 'cpu'],
    ],
    ['IPPool', net({ serverIP: '10.0.0.256' }), ['spec', 'ipv4Config', 'serverIP']],
    ['IPPool', net({ cidr: '10.0.0.0' }), ['spec', 'ipv4Config', 'cidr']],
    ['IPPool', net({ dns: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] }), ['spec', 'ipv4Config', 'dns']],
    ['VirtualMachineNetworkConfig', { vmName: '' }, ['spec', 'vmName']],
    [
      'VirtualMachineNetworkConfig',
      { vmName: 'vm', networkConfigs: [{ networkName: 'net', macAddress: '02:00:00:00:00' }] },
      ['spec', 'networkConfigs', 0, 'macAddress'],
    ],
    ['IPLease', { ipAddress: '10.0.0.3' }, ['spec', 'macAddress']],
  ])('refuse of %s %j, and say where', (kind, spec, path) => {
    const result = schemas[kind]?.safeParse({ metadata: { name: 'x' }, spec });
    expect(result?.error?.issues.map((issue) => issue.path)).toEqual([path]);
  });
});
