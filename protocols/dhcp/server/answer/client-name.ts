import type { Lease } from '../../lease.ts';
import { type ClientFqdn, decodeClientFqdn, encodeClientFqdn, FQDN_FLAG } from '../../options/client-fqdn.ts';
import { isDomainName } from '../../options/domain-search.ts';

/**
 * The answer to a client FQDN (option 81): the name of the lease, or else the client's own; this server makes no DNS updates
 * (RFC 4702 §4). Undefined if the option is malformed or the name cannot be encoded, such as a label that contains a dot.
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
