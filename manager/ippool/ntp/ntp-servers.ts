import { parseIpv4 } from '../../../api/index.ts';

/** The schema's limit of `status.ipv4.ntpServers`. */
const MOST = 16;

/** What is known of a name: its addresses; undefined where it has had no answer yet. */
export type NameLookup = (name: string) => readonly string[] | undefined;

/** The entries of `spec.ipv4Config.ntp` that are names. */
export function namesIn(ntp: readonly string[]): string[] {
  return ntp.filter((entry) => parseIpv4(entry) === undefined);
}

/**
 * The addresses of NTP servers in the order of the entries, each once.
 *
 * @param before what they were: kept behind the others while a name has no answer, since its own may be among them
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
