import type { Caller } from './client.ts';

/** What a page does, by the privilege that DMTF's registry requires for it. */
export type Deed =
  | 'power'
  | 'boot'
  | 'identify'
  | 'console'
  | 'media'
  | 'clearLog'
  | 'users'
  | 'ownPassword'
  | 'endSession'
  | 'certificate'
  | 'settings';

const NEEDS: Readonly<Record<Deed, string>> = {
  power: 'ConfigureComponents',
  boot: 'ConfigureComponents',
  identify: 'ConfigureComponents',
  console: 'ConfigureComponents',
  media: 'ConfigureManager',
  clearLog: 'ConfigureManager',
  users: 'ConfigureUsers',
  ownPassword: 'ConfigureSelf',
  endSession: 'ConfigureManager',
  certificate: 'ConfigureManager',
  settings: 'ConfigureManager',
};

/** Why the caller may not do it, for the reader; undefined if he may. The BMC decides anyway. */
export function refusalOf({ role, privileges }: Caller, deed: Deed): string | undefined {
  const needed = NEEDS[deed];
  if (privileges.has(needed)) return undefined;
  const who = needed === 'ConfigureComponents' ? 'an Operator or Administrator' : 'an Administrator';
  return `Your role ${role} may not do this; ${who} may.`;
}
