import { MachineError, type BootOverride } from '../../../protocols/machine/index.ts';

/** Characters of a URI: one that goes into a packet of DHCP beside all else. */
const MAX_URI = 1024;

/**
 * An override with what goes without saying: a boot over HTTP is one of UEFI, no other has a URI, and a machine has one firmware setup.
 *
 * @throws MachineError `NotSupported` for what cannot be
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
