import { parseIpv4 } from '../../../api/index.ts';

/** Maximum length of `status.ipv4.ntpServers` in the schema. */
const MOST = 16;

/** The known addresses of a name; undefined before the first answer. */
export type NameLookup = (name: string) => readonly string[] | undefined;

/** The entries of `spec.ipv4Config.ntp` that are names. */
export function namesIn(ntp: readonly string[]): string[] {
  return ntp.filter((entry) => parseIpv4(entry) === undefined);
}

/**
 * The addresses of NTP servers in the order of the entries, without duplicates.
 *
 * @param before the previous addresses: appended while a name is unresolved, since they may belong to it
 */
export function ntpServersOf(
  ntp: readonly string[],
  lookup: NameLookup,
  before: readonly string[] = [],
): readonly string[] {
  const found = ntp.map((entry) => (parseIpv4(entry) === undefined ? lookup(entry) : [entry]));
  const kept = found.includes(undefined) ? before : [];
  return [...new Set([...found.flatMap((addresses) => addresses ?? []), ...kept])].slice(0, MOST);
}
