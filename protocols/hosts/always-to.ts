import { isIP, type LookupFunction } from 'node:net';

/**
 * The `lookup` of a connection to addresses that were evaluated, and to no other, whatever the host's name leads to by then.
 *
 * @param addresses at least one
 */
export function alwaysTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    if (all === true) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}
