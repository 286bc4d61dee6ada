import type { Hardware } from '../../machine/index.ts';
import type { Resource } from '../resource.ts';

/** Whether the machine boots signed systems alone. Its owner says so in its configuration; nobody changes it here. */
export function secureBootOf({ secureBoot, firmware }: Hardware): Resource {
  // BIOS firmware has no such thing.
  const isOn = secureBoot ?? (firmware === 'Legacy' ? false : undefined);
  return {
    type: 'SecureBoot.v1_1_2.SecureBoot',
    read: () => ({
      Id: 'SecureBoot',
      Name: 'Secure Boot',
      SecureBootEnable: isOn ?? null,
      SecureBootCurrentBoot: isOn === undefined ? null : isOn ? 'Enabled' : 'Disabled',
      // Which keys the firmware's variables hold is not known.
      SecureBootMode: null,
    }),
  };
}
