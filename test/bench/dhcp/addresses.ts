/** Number of virtual machines with a lease, and of perfdhcp's clients (`-R`). */
export const MACHINES = 10_000;

/** 00:0c:01:00:00:00. perfdhcp counts the last bytes up without carry, so they begin with zeros. */
const FIRST_MAC = 0x000c01_000000;
const NETWORK = 0x0a4d0000;

/** Settings of all servers and clients. */
export const SITE = {
  cidr: '10.77.0.0/16',
  prefix: 16,
  subnet: NETWORK,
  server: '10.77.0.1',
  /** Relay agent of the clients. */
  relay: '10.77.0.2',
  router: '10.77.0.254',
  dns: '10.77.0.53',
  domain: 'example.org',
  mtu: 1400,
  /** s */
  leaseTime: 3600,
};

/** The MAC address of a virtual machine. @param index 0 to {@link MACHINES} - 1 */
export function macNumber(index: number): number {
  return FIRST_MAC + index;
}

export function macText(index: number): string {
  return macNumber(index)
    .toString(16)
    .padStart(12, '0')
    .replace(/..(?=.)/g, '$&:');
}

/** The leased address, from 10.77.1.0 on. */
export function addressNumber(index: number): number {
  return NETWORK + 256 + index;
}

export function addressText(index: number): string {
  const address = addressNumber(index);
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}
