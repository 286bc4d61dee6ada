import { type BootOverride, MachineError } from '../../../../protocols/machine/index.ts';

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
    throw new MachineError('NotSupported', `a boot URI of more than ${MAX_URI} characters does not fit into DHCP`);
  }
  if (!isHttp(uri)) {
    throw new MachineError(
      'NotSupported',
      'a boot URI must begin with http:// or https://, and be ASCII without spaces',
    );
  }
  return { ...override, firmware: 'UEFI', uri };
}

function isHttp(uri: string): boolean {
  return /^https?:\/\/[!-~]+$/i.test(uri) && URL.canParse(uri);
}

const DEVICE_WORDS: Record<BootOverride['device'], string> = {
  Pxe: 'from the network',
  Hdd: 'from disk',
  Cd: 'from CD',
  Usb: 'from USB',
  UefiHttp: 'over HTTP',
  // KubeVirt has no other way into the setup.
  BiosSetup: "with the firmware's 10 s prompt for its setup",
};

const INSTANCE_WORDS: Record<BootOverride['device'], string> = {
  Pxe: 'interface',
  Hdd: 'disk',
  Cd: 'drive',
  Usb: 'disk',
  UefiHttp: 'interface',
  BiosSetup: 'number',
};

/** Describes an override in words: `boot once from the network`. */
export function describeOverride({ device, persistence, firmware, instance, uri }: BootOverride): string {
  const times = persistence === 'Once' ? 'once' : 'always';
  const which = instance === undefined ? '' : ` (${INSTANCE_WORDS[device]} ${instance})`;
  const mode = firmware === undefined ? '' : ` with ${firmware} firmware`;
  const what = uri === undefined ? '' : ` from ${uriForPeople(uri)}`;
  return `boot ${times} ${DEVICE_WORDS[device]}${which}${what}${mode}`;
}

/** Removes the query, which may contain a secret of a signed URI. */
function uriForPeople(uri: string): string {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  return url === undefined ? 'an invalid URI' : `${url.protocol}//${url.host}${url.pathname}`;
}
