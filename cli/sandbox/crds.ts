import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../package-root.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, type KubeClient } from '@groundcrew/controller-runtime';
import { readManifests } from './manifests.ts';

type CustomResourceDefinition = NonNullable<(typeof CUSTOM_RESOURCE_DEFINITIONS)['object']>;

/** Groundcrew's CustomResourceDefinitions, as in the chart. */
export async function ownCrds(): Promise<CustomResourceDefinition[]> {
  const folder = join(packageRoot(), 'charts', 'groundcrew', 'files', 'crds');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml'));
  const manifests = await readManifests(files.map((file) => join(folder, file)));
  // The files are generated, and the API server validates them.
  return manifests.map(({ object }) => object as CustomResourceDefinition);
}

/** Installs them in the API server and replaces earlier versions. */
export async function installCrds(client: KubeClient, crds: readonly CustomResourceDefinition[]): Promise<void> {
  await Promise.all(crds.map((crd) => client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: true })));
}
