import { CUSTOM_RESOURCE_DEFINITIONS, type KubeClient } from '@groundcrew/controller-runtime';
import type { DataFolder } from './data-folder.ts';
import { sandboxMachines, sandboxNetwork } from './machines.ts';
import { createManifests, subjectOf, readManifests, type Manifest } from './manifests.ts';
import type { OriginOption, SandboxOptions } from './options.ts';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../version.ts';

interface Seed {
  client: KubeClient;
  options: Pick<SandboxOptions, 'vms' | 'ipmiPort'>;
  manifests: readonly Manifest[];
  data: DataFolder | undefined;
  /** Resolves when the API server calls the manager's admission webhooks. */
  admissionReady: Promise<void>;
}

/**
 * Creates the sandbox's built-in VMs, their network, and the objects in the manifests. In a data folder each object is
 * created once; later changes and deletions persist.
 *
 * @throws ManifestError
 */
export async function seedCluster({ client, options, manifests, data, admissionReady }: Seed): Promise<void> {
  const { vms, ipmiPort } = options;
  const origin = data?.origin;
  const made = origin?.manifests ?? [];
  // A sandbox that was killed during seeding has some of the objects.
  const creation = { keepExisting: data?.isUsed === true };
  if (origin === undefined && vms > 0) {
    const own = [...sandboxNetwork(), ...sandboxMachines(vms, ipmiPort)];
    await createManifests(
      client,
      own.map((object) => ({ file: 'sandbox', object })),
      creation,
    );
  }
  const missing = manifests.filter((manifest) => !made.includes(subjectOf(manifest)));
  if (missing.length > 0) {
    await admissionReady;
    await createManifests(client, machinesLast(missing), creation);
  }
  data?.setOrigin({
    ...(origin ?? { vms, ipmiPort }),
    manifests: [...new Set([...made, ...manifests.map(subjectOf)])],
  });
}

/**
 * The manager creates missing objects as soon as a VM exists, so the manifests of those objects must be created first.
 */
export function machinesLast(manifests: readonly Manifest[]): Manifest[] {
  const isMachine = ({ object }: Manifest): boolean => object.kind === 'VirtualMachine';
  return [...manifests.filter((manifest) => !isMachine(manifest)), ...manifests.filter(isMachine)];
}

const FLAGS: Record<OriginOption, string> = { vms: '--vms', ipmiPort: '--ipmi-port' };

/** One sentence for each given option that contradicts the origin of the sandbox. */
export function contradictions(
  options: SandboxOptions,
  isGiven: (option: OriginOption) => boolean,
  origin: DataFolder['origin'],
): string[] {
  if (origin === undefined) return [];
  return (Object.keys(FLAGS) as OriginOption[]) // the type's own keys
    .filter((option) => isGiven(option) && options[option] !== origin[option])
    .map((option) => {
      const given = `${FLAGS[option]} ${options[option]}`;
      return `${given} has no effect: this sandbox was made with ${FLAGS[option]} ${origin[option]}, and is as it was left.`;
    });
}

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
