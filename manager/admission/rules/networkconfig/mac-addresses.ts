import { canonicalMac } from '../../../../api/index.ts';
import { invalid, type FieldError } from '../verdict.ts';
import { interfacesOf, type ConfigRule } from './inputs.ts';

/** Each interface needs a valid unicast MAC address that is unique on its network. */
export const macAddresses: ConfigRule = (config) => {
  const errors: FieldError[] = [];
  const seen = new Map<string, number>();
  for (const [index, { field, entry, network, mac }] of interfacesOf(config).entries()) {
    const problem = problemOf(entry.macAddress);
    if (problem !== undefined) errors.push(invalid(`${field}.macAddress`, entry.macAddress, problem));
    const key = `${network} ${mac}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else
      errors.push({
        field: `${field}.macAddress`,
        type: 'Duplicate',
        value: entry.macAddress,
        detail: `is that of networkConfigs[${first}] on network ${network}`,
      });
  }
  return { errors };
};

function problemOf(text: string): string | undefined {
  const mac = canonicalMac(text);
  if (mac === undefined) return 'is not a MAC address, such as 52:54:00:12:34:56';
  if (mac === '00:00:00:00:00:00') return 'is no address of a card';
  // IEEE 802: the lowest bit of the first octet marks a group address.
  return Number.parseInt(mac.slice(0, 2), 16) % 2 === 1 ? 'is a multicast address, which no card has' : undefined;
}
