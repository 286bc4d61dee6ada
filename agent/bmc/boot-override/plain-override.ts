import { MachineError, type BootOverride } from '../../../protocols/machine/index.ts';

/** Maximum characters of a URI: it must fit into a DHCP packet with the other options. */
const MAX_URI = 1024;

/**
 * Completes and validates an override: a boot over HTTP implies UEFI, only that has a URI, and the firmware setup has
 * no variants.
 *
 * @throws MachineError `NotSupported` for an impossible override
 */
export function plainOverride({ uri, ...override }: BootOverride): BootOverride {
  if (override.device === 'BiosSetup') {
    const { instance: _instance, ...setup } = override;
    return setup;
  }
  if (override.device !== 'UefiHttp') return override;
  if (override.firmware === 'Legacy') throw new MachineError('NotSupported', 'only UEFI firmware boots over HTTP');
  if (uri === undefined || uri === '') return { ...override, firmware: 'UEFI' };
  if (uri.length > MAX_URI) {
    throw new MachineError('NotSupported', `a boot URI of more than ${MAX_URI} characters does not go into DHCP`);
  }
  if (!isHttp(uri)) {
    throw new MachineError('NotSupported', 'a boot URI is http:// or https://, in ASCII without blanks');
  }
  return { ...override, firmware: 'UEFI', uri };
}

function isHttp(uri: string): boolean {
  return /^https?:\/\/[!-~]+$/i.test(uri) && URL.canParse(uri);
}
