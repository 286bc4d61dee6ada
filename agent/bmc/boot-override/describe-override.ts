import type { BootOverride } from '../../../protocols/machine/index.ts';

const DEVICE_WORDS: Record<BootOverride['device'], string> = {
  Pxe: 'from the network',
  Hdd: 'from disk',
  Cd: 'from CD',
  UefiHttp: 'over HTTP',
  // KubeVirt has no other way into the setup.
  BiosSetup: "with the firmware's 10 s prompt for its setup",
};

const INSTANCE_WORDS: Record<BootOverride['device'], string> = {
  Pxe: 'interface',
  Hdd: 'disk',
  Cd: 'drive',
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
  return url === undefined ? 'a URI that is none' : `${url.protocol}//${url.host}${url.pathname}`;
}
