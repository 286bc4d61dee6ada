import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@groundcrew/controller-runtime';
import { cluster, dryRunApply, readCustomResources, repository } from '../harness/index.ts';
import { adminKubeconfig } from '../harness/kubeconfig.ts';
import { controlPlane } from '../harness/kubernetes/server.ts';
import { findTool } from '../tools/index.ts';

const { client } = await cluster();
const definitions = readCustomResources();

/** The part of an OpenAPI v3 schema that is read. */
interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
}

describe('the CRDs of the chart', () => {
  it('are the five kinds', () => {
    expect(definitions.map(({ spec }) => spec.names.kind).sort()).toEqual([
      'AgentRollout',
      'IPLease',
      'IPPool',
      'VirtualMachineBMC',
      'VirtualMachineNetworkConfig',
    ]);
  });

  it('are those that Artifact Hub shows', () => {
    const chart = parse(readFileSync(join(repository, 'charts/groundcrew/Chart.yaml'), 'utf8')) as {
      annotations: Record<string, string>;
    };
    const shown = parse(chart.annotations['artifacthub.io/crds'] ?? '') as {
      kind: string;
      version: string;
      name: string;
    }[];
    expect(shown.map(({ kind, version, name }) => [kind, version, name]).sort()).toEqual(
      definitions.map(({ metadata, spec }) => [spec.names.kind, spec.versions[0]?.name, metadata.name]).sort(),
    );
  });

  describe.each(definitions.map((definition) => [definition.spec.names.kind, definition] as const))(
    '%s',
    (kind, definition) => {
      const { name } = definition.metadata;

      it('has no field that a strict API server does not know', async () => {
        await expect(dryRunApply(client, definition, 'default')).resolves.toMatchObject({ metadata: { name } });
      });

      it('is established and structural', async () => {
        const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name });
        const states = Object.fromEntries(
          (status?.conditions ?? []).map((condition) => [condition.type, condition.status]),
        );
        expect(states).toEqual({ NamesAccepted: 'True', Established: 'True' });
      });

      it('describes every field', async () => {
        const [version] = definition.spec.versions;
        const path = `/openapi/v3/apis/${definition.spec.group}/${version?.name ?? ''}`;
        const document = (await client.request({ method: 'GET', path })) as {
          components: { schemas: Record<string, Schema> };
        };
        const schema = Object.entries(document.components.schemas).find(([id]) => id.endsWith(`.${kind}`))?.[1];
        expect(undescribed(schema ?? {}, kind)).toEqual([]);
      });
    },
  );

  it('are explained by kubectl', () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-explain-'));
    const kubeconfig = join(folder, 'kubeconfig');
    const { server, ca, admin } = controlPlane();
    writeFileSync(kubeconfig, adminKubeconfig({ server, ca, ...admin }), { mode: 0o600 });
    const kubectl = findTool('kubectl') ?? 'kubectl';
    try {
      const text = execFileSync(kubectl, ['--kubeconfig', kubeconfig, 'explain', 'vmbmc.spec.service'], {
        encoding: 'utf8',
      });
      expect(text).toContain('externalTrafficPolicy');
      expect(text).not.toContain('<no description>');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Paths of fields without a description, but for those that Kubernetes itself describes. */
function undescribed(schema: Schema, path: string): string[] {
  const fields = Object.entries(schema.properties ?? {})
    .filter(([name]) => path.includes('.') || !['apiVersion', 'kind', 'metadata'].includes(name))
    .flatMap(([name, field]) => [
      ...((field.description ?? '') === '' ? [`${path}.${name}`] : []),
      ...undescribed(field, `${path}.${name}`),
    ]);
  const items = schema.items === undefined ? [] : undescribed(schema.items, `${path}[]`);
  const values =
    typeof schema.additionalProperties === 'object' ? undescribed(schema.additionalProperties, `${path}.*`) : [];
  return [...fields, ...items, ...values];
}
