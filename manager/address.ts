import type { Address } from '@groundcrew/controller-runtime';

/** An address of the command line or the environment that cannot be used. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
  readonly code = 'InvalidAddress';
}

/**
 * Reads `host:port`, `[host]:port`, or `:port` for all interfaces; '' and '0' mean nowhere.
 *
 * @throws AddressError
 */
export function parseAddress(text: string): Address | undefined {
  if (text === '' || text === '0') return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new AddressError(`${text} is no address: write host:port, [host]:port, or :port for all interfaces`);
  // Node listens on all interfaces of both families, or of the one that there is, where the host is ''.
  return { host: match[1] ?? match[2] ?? '', port };
}
