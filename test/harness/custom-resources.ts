import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { CUSTOM_RESOURCE_DEFINITIONS, type KubeClient } from '@groundcrew/controller-runtime';
import { eventually } from './eventually.ts';
import { repository } from './repository.ts';

type CustomResourceDefinition = NonNullable<(typeof CUSTOM_RESOURCE_DEFINITIONS)['object']>;

/** The CRDs of the chart. */
export function readCustomResources(): CustomResourceDefinition[] {
  const folder = join(repository, 'charts/groundcrew/files/crds');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.toJS() as CustomResourceDefinition); // The API server validates it.
}

/** Applies the chart's CRDs and waits until the server serves them. */
export async function installCustomResources(client: KubeClient): Promise<void> {
  const definitions = readCustomResources();
  await Promise.all(
    definitions.map((definition) => client.apply(CUSTOM_RESOURCE_DEFINITIONS, definition, { force: true })),
  );
  for (const { metadata } of definitions) {
    await eventually(async () => {
      const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: metadata.name });
      const established = status?.conditions?.find(({ type }) => type === 'Established');
      if (established?.status !== 'True') throw new Error(`${metadata.name} is not established`);
    });
  }
}
