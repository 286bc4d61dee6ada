/** Where a socket that is bound to all addresses can be reached. */
export function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}
