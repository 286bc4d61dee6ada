import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type KubeClient,
  type Kind,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { eventually } from './eventually.ts';
import { CHART } from './chart.ts';

type CustomResourceDefinition = NonNullable<(typeof CUSTOM_RESOURCE_DEFINITIONS)['object']>;

/** The CRDs of a chart. @param chart folder; default: the chart of this version */
export function readCustomResources(chart: string = CHART): CustomResourceDefinition[] {
  const folder = join(chart, 'files/crds');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.toJS() as CustomResourceDefinition); // The API server validates it.
}

/**
 * Applies the CRDs of a chart and waits until the server lists each kind. It answers the first list of a new kind with 429 and
 * `retryAfterSeconds: 1`.
 */
export async function installCustomResources(client: KubeClient, chart?: string): Promise<void> {
  const definitions = readCustomResources(chart);
  await Promise.all(
    definitions.map((definition) => client.apply(CUSTOM_RESOURCE_DEFINITIONS, definition, { force: true })),
  );
  await Promise.all(definitions.flatMap(servedKinds).map((kind) => eventually(() => client.list(kind))));
}

function servedKinds({ spec: { group, names, scope, versions } }: CustomResourceDefinition): Kind<KubeObject>[] {
  const { kind, plural } = names;
  const served = versions.filter((version) => version.served);
  return served.map(({ name: version }) => ({ group, version, kind, plural, namespaced: scope === 'Namespaced' }));
}
