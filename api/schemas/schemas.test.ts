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

const examples = await manifestsIn('../../examples/');
const published = await manifestsIn('./fixtures/');

/** The objects of our kinds that the README and the documents show. */
async function manifestsShown(): Promise<Manifest[]> {
  const docs = new URL('../../docs/', import.meta.url);
  const files = (await readdir(docs)).filter((file) => file.endsWith('.md')).map((file) => new URL(file, docs));
  const texts = await Promise.all([...files, new URL('../README.md', docs)].map((file) => readFile(file, 'utf8')));
  return texts
    .flatMap((text) => [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']) => block))
    .flatMap((block) => parseAllDocuments(block).map((document) => document.toJS() as Manifest))
    .filter(({ kind }) => kind in schemas);
}

const shown = await manifestsShown();

describe('the schemas', () => {
  it.each(examples.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const))(
    'accept the example %s %s with all its fields',
    (kind, _name, manifest) => {
      expect(schemas[kind]?.parse(manifest)).toMatchObject({ spec: manifest.spec });
    },
  );

  it('have an example of each kind', () => {
    expect(new Set(examples.map(({ kind }) => kind))).toEqual(new Set(Object.keys(schemas)));
  });

  it.each(published.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const))(
    'accept the published %s %s unchanged',
    (kind, _name, manifest) => {
      expect(schemas[kind]?.parse(manifest)).toMatchObject({ spec: manifest.spec });
    },
  );

  it('accept the objects in the documents with all their fields', () => {
    expect(new Set(shown.map(({ kind }) => kind))).toContain('IPPool');
    for (const manifest of shown)
      expect(schemas[manifest.kind]?.parse(manifest)).toMatchObject({ spec: manifest.spec });
  });

  it('accept names of maximum length and more than four interfaces', () => {
    const networkName = `${'n'.repeat(63)}/${'n'.repeat(253)}`;
    const networkConfigs = Array.from({ length: 12 }, (_, nic) => {
      return { networkName, macAddress: `02:00:00:00:00:${10 + nic}` };
    });
    const config = { metadata: { name: 'x' }, spec: { vmName: 'v'.repeat(253), networkConfigs } };
    expect(virtualMachineNetworkConfig.safeParse(config).error).toBeUndefined();
    expect(ipPool.safeParse({ metadata: { name: 'x' }, spec: { networkName } }).error).toBeUndefined();
  });

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
    ['IPPool', net({ dns: ['1.1.1.1', '1.1.1'] }), ['spec', 'ipv4Config', 'dns', 1]],
    [
      'IPPool',
      net({ pool: { start: '10.0.0.3', end: '10.0.0.9', exclude: ['10.0.0.4', 'router'] } }),
      ['spec', 'ipv4Config', 'pool', 'exclude', 1],
    ],
    ['IPPool', net({ leaseTime: 4_294_967_296 }), ['spec', 'ipv4Config', 'leaseTime']],
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
