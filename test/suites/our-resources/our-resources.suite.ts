import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { cluster, readCustomResources, repository, type HttpAnswer } from '../../harness/index.ts';
import { violations, type Violation } from '../../harness/scenes/constraint-violations.ts';
import { causes } from '../../harness/scenes/definition-scene.ts';

const { http, namespace } = await cluster();

const MERGE = 'application/merge-patch+json';

interface Sample {
  apiVersion: string;
  kind: string;
  metadata: { name: string; [key: string]: unknown };
  spec: Record<string, unknown>;
}

/** A CRD of the chart with its single version. */
interface Ours {
  kind: string;
  plural: string;
  apiVersion: string;
  schema: object;
}

const ours: Ours[] = readCustomResources().map(({ spec }) => {
  const { group, names, versions } = spec as unknown as {
    group: string;
    names: { kind: string; plural: string };
    versions: { name: string; schema: { openAPIV3Schema: object } }[];
  };
  const [version] = versions;
  if (version === undefined || versions.length > 1) throw new Error(`${names.kind} has not one version`);
  return { ...names, apiVersion: `${group}/${version.name}`, schema: version.schema.openAPIV3Schema };
});

const examples = join(repository, 'examples');
const samples = readdirSync(examples)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(join(examples, file), 'utf8')))
  .map((document) => document.toJS() as Sample);

function sampleOf(kind: string): Sample {
  const sample = samples.find((one) => one.kind === kind);
  if (sample === undefined) throw new Error(`no sample of ${kind}`);
  return structuredClone(sample);
}

let where = '';
beforeAll(async () => {
  where = await namespace();
});

function pathOf(kind: string): string {
  const found = ours.find((one) => one.kind === kind);
  return `/apis/${found?.apiVersion ?? ''}/namespaces/${where}/${found?.plural ?? ''}`;
}

const send = (object: Sample, query = ''): Promise<HttpAnswer> => {
  const { namespace: _, ...metadata } = object.metadata;
  return http('POST', `${pathOf(object.kind)}${query}`, { body: { ...object, metadata } });
};

const refusals = async (object: Sample): Promise<string[]> => causes(await send(object, '?dryRun=All'));

const patch = (object: Sample, body: object): Promise<HttpAnswer> =>
  http('PATCH', `${pathOf(object.kind)}/${object.metadata.name}?dryRun=All`, { body, contentType: MERGE });

describe.each(ours)('$kind', ({ kind, schema }) => {
  it('accepts the sample with strict validation', async () => {
    const answer = await send(sampleOf(kind), '?dryRun=All&fieldValidation=Strict');
    expect(answer).toMatchObject({ status: 201, body: { spec: sampleOf(kind).spec } });
    expect(answer.headers).not.toHaveProperty('warning');
  });

  describe('an existing object', () => {
    beforeAll(async () => {
      expect((await send(sampleOf(kind))).status).toBe(201);
    });

    const causesOf = async ({ part, object }: Violation): Promise<string[]> => {
      const { apiVersion, metadata } = sampleOf(kind);
      if (part === 'spec') return await refusals({ ...object, apiVersion, kind, metadata } as Sample);
      const path = `${pathOf(kind)}/${metadata.name}/status`;
      const { body } = await http('GET', path);
      return causes(await http('PUT', path, { body: { ...(body as object), ...object } }));
    };
    it.each(violations(schema))('rejects a violation of %s', async (_, samples) => {
      for (const sample of samples) expect(await causesOf(sample)).toContain(sample.cause);
    });
  });
});

/** Rules that the cases below test. The last case compares them with the rules of the schemas. */
const shown = new Set<string>();

function show(kind: string, path: string, rule: string): string {
  shown.add(`${kind} ${path}: ${rule}`);
  return `${kind} ${path}: ${rule}`;
}

describe('the rule of', () => {
  const long = 'x'.repeat(64);
  const same = 'self == oldSelf';
  const message = (field: string, type: string, text: string): string =>
    `FieldValueInvalid ${field}: Invalid value: "${type}": ${text}`;

  const creates: [rule: string, kind: string, change: (object: Sample) => void, cause: string][] = [
    [
      show('VirtualMachineBMC', '', 'size(self.metadata.name) <= 63'),
      'VirtualMachineBMC',
      ({ metadata }) => (metadata.name = long),
      message('<nil>', 'object', 'name must have 63 characters or fewer'),
    ],
    [
      show('IPPool', '', 'size(self.metadata.name) <= 63'),
      'IPPool',
      ({ metadata }) => (metadata.name = long),
      message('<nil>', 'object', 'name must have 63 characters or fewer'),
    ],
    [
      show('IPLease', '', "self.metadata.name.endsWith('.' + self.spec.ipAddress)"),
      'IPLease',
      ({ metadata }) => (metadata.name = 'prod-net.192.168.48.98'),
      message('<nil>', 'object', 'name must be <pool>.<ipAddress>'),
    ],
    [
      show('IPPool', 'spec.ipv4Config', '!has(self.serverIPs) || self.serverIPs[0] == self.serverIP'),
      'IPPool',
      ({ spec }) => Object.assign(spec['ipv4Config'] as object, { serverIPs: ['192.168.48.3', '192.168.48.2'] }),
      message('spec.ipv4Config', 'object', 'the first of serverIPs must be serverIP'),
    ],
    [
      show('IPPool', 'spec.ipv4Config.reservations[0]', 'has(self.macAddress) != has(self.vmName)'),
      'IPPool',
      ({ spec }) =>
        Object.assign(spec['ipv4Config'] as object, { reservations: [{ ipAddress: '192.168.48.60', hostname: 'x' }] }),
      message('spec.ipv4Config.reservations[0]', 'object', 'exactly one of macAddress and vmName must be set'),
    ],
  ];
  const written: [kind: string, path: string, fields: object, words: string][] = [
    ['IPPool', 'spec.ipv4Config.cidr', { cidr: 'fd00::/64' }, 'an IPv4 network, such as 10.0.0.0/24'],
    [
      'IPPool',
      'spec.ipv4Config.pool.exclude[0]',
      { pool: { start: '192.168.48.10', end: '192.168.48.20', exclude: ['x'] } },
      'an IPv4 address, a range such as 10.0.0.5-10.0.0.9, or a network such as 10.0.0.8/29',
    ],
    [
      'IPPool',
      'spec.ipv4Config.reservations[0].macAddress',
      { reservations: [{ macAddress: '02:00', ipAddress: '192.168.48.60' }] },
      'a MAC address, such as 52:54:00:12:34:56',
    ],
    [
      'IPPool',
      'spec.ipv4Config.routes[0].destination',
      { routes: [{ destination: '::/0', gateway: '192.168.48.1' }] },
      'an IPv4 network, such as 10.0.0.0/24',
    ],
    ['IPPool', 'spec.ipv4Config.relays[0]', { relays: ['x'] }, 'an IPv4 address, or a network such as 10.1.0.0/28'],
    [
      'VirtualMachineNetworkConfig',
      'spec.networkConfigs[0].macAddress',
      { networkConfigs: [{ networkName: 'lan', macAddress: '02:00' }] },
      'a MAC address, such as 52:54:00:12:34:56',
    ],
    ['IPLease', 'spec.macAddress', { macAddress: '02:00' }, 'a MAC address, such as 52:54:00:12:34:56'],
  ];
  it.each(written)('%s %s is a message in words', async (kind, path, fields, words) => {
    for (const rule of rulesAt(kind, path)) if (rule.includes('.matches(')) shown.add(rule);
    const object = sampleOf(kind);
    const { spec } = object;
    Object.assign(kind === 'IPPool' ? (spec['ipv4Config'] as object) : spec, fields);
    expect(await refusals(object)).toEqual([message(path, 'string', `must be ${words}`)]);
  });

  it.each(creates)('%s', async (_, kind, change, cause) => {
    const object = sampleOf(kind);
    change(object);
    expect(await refusals(object)).toEqual([cause]);
  });

  describe.each(['virtualMedia', 'events'])('spec.redfish.%s.allowedHosts', (part) => {
    const field = `spec.redfish.${part}.allowedHosts[0]`;
    for (const rule of rulesAt('VirtualMachineBMC', field)) shown.add(rule);
    const withHost = (host: string): Sample => {
      const object = sampleOf('VirtualMachineBMC');
      object.metadata.name = 'other';
      object.spec['redfish'] = { [part]: { allowedHosts: [host] } };
      return object;
    };

    it('accepts names and addresses, with and without a port', async () => {
      const hosts = [
        ...['images.example', 'Images.Example', 'images.example.', 'images', 'my_host', 'images.example:8443'],
        ...['192.0.2.7', '192.0.2.7:80', '2001:db8::7', '2001:db8::', '::1', '[2001:db8::7]', '[2001:db8::7]:65535'],
      ];
      for (const host of hosts) expect([host, ...(await refusals(withHost(host)))]).toEqual([host]);
    });

    it('rejects all other values', async () => {
      const hosts = [
        ...['https://images.example', 'https://images.example/a.iso', 'images.example/a.iso', 'user@images.example'],
        ...['*.example', '*', '192.0.2.0/24', '192.0.2.1-192.0.2.9', 'images example', ' images.example', 'a,b', '.', '-'], // prettier-ignore
        ...['192.0.2.999', '192.0.2', '2001:db8::g', '2001:db8::7:80:1:2:3:4:5:6', '[2001:db8::7', 'images.example:'],
        ...['images.example:0', 'images.example:65536', 'images.example:https', 'images..example', 'bücher.example'],
      ];
      for (const host of hosts) {
        expect([host, ...(await refusals(withHost(host)))]).toEqual([
          host,
          message(field, 'string', 'must be a host name or an IP address, with or without a port: images.example, 192.0.2.7:8080, [2001:db8::7]:8080'), // prettier-ignore
        ]);
      }
    });
  });

  const immutable = (field: string, type: string): string => message(field, type, 'field is immutable');
  const updates: [rule: string, kind: string, change: object, cause: string][] = [
    [
      show('VirtualMachineBMC', 'spec.virtualMachineRef', same),
      'VirtualMachineBMC',
      { virtualMachineRef: { name: 'other' } },
      message(
        'spec.virtualMachineRef',
        'object',
        'virtualMachineRef is immutable: delete this VirtualMachineBMC and create one for the other VM',
      ),
    ],
    [
      show('VirtualMachineNetworkConfig', 'spec.vmName', same),
      'VirtualMachineNetworkConfig',
      { vmName: 'other' },
      immutable('spec.vmName', 'string'),
    ],
    [
      show('IPPool', 'spec.networkName', same),
      'IPPool',
      { networkName: 'a/b' },
      immutable('spec.networkName', 'string'),
    ],
    [
      show('IPPool', 'spec', '!has(oldSelf.ipv4Config) || has(self.ipv4Config)'),
      'IPPool',
      { ipv4Config: null },
      message('spec', 'object', 'ipv4Config cannot be removed: delete the pool instead'),
    ],
    [
      show('IPPool', 'spec.ipv4Config.cidr', same),
      'IPPool',
      { ipv4Config: { cidr: '192.168.48.0/25' } },
      immutable('spec.ipv4Config.cidr', 'string'),
    ],
    [
      show('IPPool', 'spec.ipv4Config.serverIP', same),
      'IPPool',
      { ipv4Config: { serverIP: '192.168.48.5' } },
      immutable('spec.ipv4Config.serverIP', 'string'),
    ],
    ...(
      [
        ['ipAddress', '192.168.48.98', 'string'],
        ['macAddress', '02:00:00:00:00:02', 'string'],
        ['vmNetworkConfigRef', { name: 'other' }, 'object'],
        ['vmRef', { name: 'other' }, 'object'],
        ['interfaceName', 'other', 'string'],
        ['hostname', 'other', 'string'],
      ] as const
    ).map(([field, value, type]): [string, string, object, string] => [
      show('IPLease', `spec.${field}`, same),
      'IPLease',
      { [field]: value },
      immutable(`spec.${field}`, type),
    ]),
    ...['vmNetworkConfigRef', 'vmRef', 'interfaceName', 'hostname'].map((field): [string, string, object, string] => [
      show('IPLease', 'spec', `has(self.${field}) == has(oldSelf.${field})`),
      'IPLease',
      { [field]: null },
      message('spec', 'object', `${field} is immutable`),
    ]),
  ];
  it.each(updates)('%s', async (_, kind, fields, cause) => {
    expect(causes(await patch(sampleOf(kind), { spec: fields }))).toContain(cause);
    expect(causes(await patch(sampleOf(kind), { metadata: { labels: { a: 'b' } } }))).toEqual([]);
  });

  it('are tested for all rules', () => {
    expect(allRules().sort()).toEqual([...shown].sort());
  });
});

function allRules(): string[] {
  return ours.flatMap(({ kind, schema }) => rulesOf(schema, '').map((rule) => `${kind} ${rule}`));
}

function rulesAt(kind: string, path: string): string[] {
  return allRules().filter((rule) => rule.startsWith(`${kind} ${path}: `));
}

/** Every rule in a schema, with its path. */
function rulesOf(schema: object, path: string): string[] {
  const {
    properties = {},
    items,
    additionalProperties,
    'x-kubernetes-validations': rules = [],
  } = schema as {
    properties?: Record<string, object>;
    items?: object;
    additionalProperties?: object;
    'x-kubernetes-validations'?: { rule: string }[];
  };
  return [
    ...rules.map(({ rule }) => `${path}: ${rule}`),
    ...Object.entries(properties).flatMap(([name, property]) =>
      rulesOf(property, path === '' ? name : `${path}.${name}`),
    ),
    ...(items === undefined ? [] : rulesOf(items, `${path}[0]`)),
    ...(additionalProperties === undefined ? [] : rulesOf(additionalProperties, `${path}.*`)),
  ];
}
