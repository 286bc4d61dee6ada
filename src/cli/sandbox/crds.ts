import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../package-root.ts';
import { readManifests, type Manifest } from './manifests.ts';

/** The project's own CustomResourceDefinitions, as the chart installs them. */
export async function ownCrds(): Promise<Manifest[]> {
  const folder = join(packageRoot(), 'charts', 'groundcrew', 'files', 'crds');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml'));
  return await readManifests(files.map((file) => join(folder, file)));
}
