import type { Lease } from '../../lease.ts';
import { type ClientFqdn, decodeClientFqdn, encodeClientFqdn, FQDN_FLAG } from '../../options/client-fqdn.ts';
import { isDomainName } from '../../options/domain-search.ts';

/**
 * What to say to a client that tells its name and who is to update DNS (option 81): that it has the name of its lease, or
 * else its own, and that we update nothing (RFC 4702 §4). Undefined: its option makes no sense, or it has a name as in DNS
 * that none can have, such as one with a dot in a label.
 */
export function clientName(value: Uint8Array, lease: Lease): Uint8Array | undefined {
  const asked = decodeClientFqdn(value);
  if (asked === undefined) return undefined;
  const encoding = asked.flags & FQDN_FLAG.canonical;
  const overridden = (asked.flags & FQDN_FLAG.serverUpdates) === 0 ? 0 : FQDN_FLAG.overridden;
  const name = nameOf(asked, lease);
  if (encoding !== 0 && name !== '' && !isDomainName(name)) return undefined;
  return encodeClientFqdn({ flags: encoding | overridden | FQDN_FLAG.noUpdates, name });
}

function nameOf(asked: ClientFqdn, { hostname, settings: { domainName } }: Lease): string {
  if (!hostname) return asked.name;
  const name = domainName && !hostname.includes('.') ? `${hostname}.${domainName}` : hostname;
  return isDomainName(name) ? name : asked.name;
}
