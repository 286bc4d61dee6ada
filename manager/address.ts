import type { Address } from '@groundcrew/controller-runtime';

/** An address from the command line or the environment that is not valid. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
  readonly code = 'InvalidAddress';
}

/**
 * Parses `host:port`, `[host]:port`, or `:port` for all interfaces; '' and '0' disable the listener.
 *
 * @throws AddressError
 */
export function parseAddress(text: string): Address | undefined {
  if (text === '' || text === '0') return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new AddressError(`${text} is no address: write host:port, [host]:port, or :port for all interfaces`);
  // With the host '' Node listens on all interfaces of both address families, or of the only one available.
  return { host: match[1] ?? match[2] ?? '', port };
}
