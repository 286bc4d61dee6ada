import { parseIpv4 } from '../../../api/index.ts';

/** The schema's limit of `status.ipv4.ntpServers`. */
const MOST = 16;

/** What is known of a name: its addresses, or none where it has not been asked for yet. */
export type NameLookup = (name: string) => readonly string[] | undefined;

/** The entries of `spec.ipv4Config.ntp` that are names. */
export function namesIn(ntp: readonly string[]): string[] {
  return ntp.filter((entry) => parseIpv4(entry) === undefined);
}

/** The addresses of NTP servers in the order of the entries, each once; undefined while a name has not been looked up. */
export function ntpServersOf(ntp: readonly string[], lookup: NameLookup): readonly string[] | undefined {
  const addresses: string[] = [];
  for (const entry of ntp) {
    const found = parseIpv4(entry) === undefined ? lookup(entry) : [entry];
    if (found === undefined) return undefined;
    addresses.push(...found);
  }
  return [...new Set(addresses)].slice(0, MOST);
}
