import type { KubeClient } from '../../kube/index.ts';
import type { DataFolder } from '../../sandbox/index.ts';
import { sandboxMachines } from './machines.ts';
import { createManifests, subjectOf, type Manifest } from './manifests.ts';
import type { OriginOption, SandboxOptions } from './options.ts';

/**
 * Makes the sandbox's own VMs and what the manifests say. In a folder each of it is made once: what was changed or
 * deleted since stays so.
 *
 * @throws ManifestError
 */
export async function furnish(
  client: KubeClient,
  { vms, ipmiPort }: SandboxOptions,
  manifests: readonly Manifest[],
  data: DataFolder | undefined,
): Promise<void> {
  const origin = data?.origin;
  const made = origin?.manifests ?? [];
  const machines = sandboxMachines(vms, ipmiPort).map((object) => ({ file: 'sandbox', object }));
  const missing = manifests.filter((manifest) => !made.includes(subjectOf(manifest)));
  // A sandbox that was killed while it was furnished has some of it.
  const keepExisting = data?.isUsed === true;
  await createManifests(client, [...(origin === undefined ? machines : []), ...missing], { keepExisting });
  data?.setOrigin({
    ...(origin ?? { vms, ipmiPort }),
    manifests: [...new Set([...made, ...manifests.map(subjectOf)])],
  });
}

const FLAGS: Record<OriginOption, string> = { vms: '--vms', ipmiPort: '--ipmi-port' };

/** Sentences for those options that were given and contradict what the sandbox was made with. */
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
