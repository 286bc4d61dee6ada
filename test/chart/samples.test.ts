import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { MOST_SHARED_BMCS, sharedAgentPorts } from '../../api/index.ts';
import type { KubeObject } from '@groundcrew/controller-runtime';
import { AGENT_PORTS } from '../../manager/virtualmachinebmc/children/deployment.ts';
import { cluster, dryRunApply, readCustomResources, repository } from '../harness/index.ts';
import { installMultus } from '../harness/multus.ts';

const { client, namespace, standIns } = await cluster();
// For the VirtualMachine kind, which is KubeVirt's, and for net-attach-defs, which are Multus'.
await standIns({ parts: ['kubevirt'] });
await installMultus(client);

const folder = join(repository, 'examples');
const samples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => ({
      file,
      object: document.toJS() as KubeObject, // What it is, the server is about to say.
    })),
  );

describe('the samples', () => {
  it('show each kind of ours', () => {
    const shown = new Set(samples.map(({ object }) => object.kind));
    for (const { spec } of readCustomResources()) expect(shown).toContain(spec.names.kind);
  });

  it.each(samples.map(({ file, object }) => [file, object.kind, object.metadata.name, object] as const))(
    '%s: a strict API server accepts %s %s',
    async (_file, _kind, name, object) => {
      const where = await namespace();
      const inPlace = { ...object, metadata: { ...object.metadata, namespace: where } };
      await expect(dryRunApply(client, inPlace, where)).resolves.toMatchObject({ metadata: { name } });
    },
  );
});

it('the NetworkPolicy of docs/security.md admits clients and Prometheus to all ports of BMC agents', async () => {
  const text = readFileSync(join(repository, 'docs/security.md'), 'utf8');
  const [, example = ''] = /```yaml\n(.+?kind: NetworkPolicy.+?)```/s.exec(text) ?? [];
  const policy = parse(example) as KubeObject & { spec: { ingress: { ports: Ports[] }[] } };
  await dryRunApply(client, policy, await namespace());
  const ports = policy.spec.ingress.flatMap((rule) => rule.ports);
  const admitted = ports.map(({ port, endPort = port, protocol = 'TCP' }) => `${protocol} ${port} to ${endPort}`);
  const one = (port: number, protocol = 'TCP'): string => `${protocol} ${port} to ${port}`;
  const { ipmi, ...others } = AGENT_PORTS;
  const [first, last] = [sharedAgentPorts(0), sharedAgentPorts(MOST_SHARED_BMCS - 1)];
  expect(admitted.toSorted()).toEqual(
    [
      ...[one(ipmi, 'UDP'), ...Object.values(others).map((port) => one(port))],
      `UDP ${first.ipmi} to ${last.ipmi}`,
      `TCP ${first.redfish} to ${last.redfish}`,
      `TCP ${first.redfishHttp} to ${last.redfishHttp}`,
    ].toSorted(),
  );
});

interface Ports {
  port: number;
  endPort?: number;
  protocol?: string;
}
