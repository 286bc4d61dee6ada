import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../package-root.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, type KubeClient } from '@groundcrew/controller-runtime';
import { readManifests } from './manifests.ts';

type CustomResourceDefinition = NonNullable<(typeof CUSTOM_RESOURCE_DEFINITIONS)['object']>;

/** The project's own CustomResourceDefinitions, as the chart installs them. */
export async function ownCrds(): Promise<CustomResourceDefinition[]> {
  const folder = join(packageRoot(), 'charts', 'groundcrew', 'files', 'crds');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml'));
  const manifests = await readManifests(files.map((file) => join(folder, file)));
  // They are generated, and the API server validates them.
  return manifests.map(({ object }) => object as CustomResourceDefinition);
}

/** Makes them known to the API server, in place of those of an earlier version. */
export async function installCrds(client: KubeClient, crds: readonly CustomResourceDefinition[]): Promise<void> {
  await Promise.all(crds.map((crd) => client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: true })));
}
