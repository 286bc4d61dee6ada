import { DATA_VOLUMES, mediaVolumeNames, type VirtualMachineBMC } from '../../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { isOwnedBy } from '../owned/index.ts';

/**
 * A name for a DataVolume that no volume has, else the first: what has it is on its way out. Rather not the last one's: a guest may
 * have that still.
 *
 * @throws MachineError `InvalidState` where somebody else's is in the way
 */
export async function freeVolume(
  client: KubeClient,
  bmc: VirtualMachineBMC,
  last: string | undefined,
): Promise<string> {
  const { namespace = '' } = bmc.metadata;
  const [first, second] = mediaVolumeNames(bmc.metadata.name);
  const names = last === first ? ([second, first] as const) : ([first, second] as const);
  for (const name of names) {
    const found = await client.find(DATA_VOLUMES, { namespace, name });
    if (found === undefined) return name;
    if (isOwnedBy(found, bmc)) continue;
    const why = `DataVolume ${name} is not this BMC's: rename or delete it, so that the BMC can make its own`;
    throw new MachineError('InvalidState', why);
  }
  return names[0];
}
