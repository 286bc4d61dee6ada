import { isIP, type LookupFunction } from 'node:net';

/**
 * A `lookup` function for a connection. It returns the evaluated addresses only, so a later DNS change has no effect.
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
