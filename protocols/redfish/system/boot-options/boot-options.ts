import type { BootOption, Hardware, Machine } from '../../../machine/index.ts';
import type { JsonObject } from '../../json.ts';
import { link } from '../../uris.ts';
import { type Part, partUri } from '../part.ts';
import { DRIVES, ETHERNET_INTERFACES } from '../paths.ts';
import { devicePathOf, nameIn, referenceOf } from './references.ts';

/** The devices that the machine can boot from. */
export function bootOptionsOf(machine: Machine): Part[] {
  const hardware = machine.hardware();
  return machine.bootOptions().map((option) => ({
    id: referenceOf(option),
    resource: { type: 'BootOption.v1_0_6.BootOption', read: () => describe(option, hardware) },
  }));
}

function describe(option: BootOption, hardware: Hardware): JsonObject {
  const reference = referenceOf(option);
  const related = relatedTo(option);
  return {
    Id: reference,
    Name: option.name,
    BootOptionReference: reference,
    DisplayName: option.name,
    Alias: option.device,
    UefiDevicePath: devicePathOf(option, hardware) ?? null,
    RelatedItem: related,
    'RelatedItem@odata.count': related.length,
  };
}

/** A virtual media drive is not one of the System's Drives. */
function relatedTo(option: BootOption): { '@odata.id': string }[] {
  const disk = option.device === 'Cd' ? undefined : nameIn(option, 'disk');
  if (disk !== undefined) return [link(partUri(DRIVES, disk))];
  const networkInterface = nameIn(option, 'interface');
  return networkInterface === undefined ? [] : [link(partUri(ETHERNET_INTERFACES, networkInterface))];
}
