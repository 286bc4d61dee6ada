import type { RedfishOptions } from '../options.ts';
import type { Resource } from '../resource.ts';

/** Secure Boot: the current state, and the state from the next boot, which clients can change. */
export function secureBoot({ machine, observer }: RedfishOptions): Resource {
  return {
    type: 'SecureBoot.v1_1_2.SecureBoot',
    read: () => {
      const { secureBoot: isOn, firmware } = machine.hardware();
      // BIOS firmware does not support Secure Boot.
      const isOff = firmware === 'Legacy' ? false : undefined;
      return {
        Id: 'SecureBoot',
        Name: 'Secure Boot',
        SecureBootEnable: machine.secureBoot() ?? isOff ?? null,
        SecureBootCurrentBoot: currentBoot(isOn ?? isOff),
        // The keys in the firmware's variables are not known.
        SecureBootMode: null,
      };
    },
    patch: {
      rules: { kind: 'object', properties: { SecureBootEnable: { kind: 'flag' } } },
      apply: async ({ SecureBootEnable: wanted }, { requester }) => {
        const isOn = wanted === true;
        const was = machine.secureBoot();
        await machine.setSecureBoot(isOn, requester);
        // Clients may write back what they have read.
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
