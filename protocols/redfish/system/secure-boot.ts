import type { RedfishOptions } from '../options.ts';
import type { Resource } from '../resource.ts';

/** Whether the machine boots signed systems alone: now, and from its next boot on, which clients may change. */
export function secureBoot({ machine, observer }: RedfishOptions): Resource {
  return {
    type: 'SecureBoot.v1_1_2.SecureBoot',
    read: () => {
      const { secureBoot: isOn, firmware } = machine.hardware();
      // BIOS firmware has no such thing.
      const isOff = firmware === 'Legacy' ? false : undefined;
      return {
        Id: 'SecureBoot',
        Name: 'Secure Boot',
        SecureBootEnable: machine.secureBoot() ?? isOff ?? null,
        SecureBootCurrentBoot: currentBoot(isOn ?? isOff),
        // Which keys the firmware's variables hold is not known.
        SecureBootMode: null,
      };
    },
    patch: {
      rules: { kind: 'object', properties: { SecureBootEnable: { kind: 'flag' } } },
      apply: async ({ SecureBootEnable: wanted }, { requester }) => {
        const isOn = wanted === true;
        const was = machine.secureBoot();
        await machine.setSecureBoot(isOn, requester);
        // Tools write back what they have read.
        if (was !== isOn)
          observer.audited(requester, `Secure Boot was switched ${isOn ? 'on' : 'off'} from the next boot on`);
        return undefined;
      },
    },
  };
}

function currentBoot(isOn: boolean | undefined): string | null {
  if (isOn === undefined) return null;
  return isOn ? 'Enabled' : 'Disabled';
}
