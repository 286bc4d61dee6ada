import type { Card, Machine } from './machine.ts';

/** What a DHCP server has told of a network card. */
export interface Lease {
  address: string;
  netmask: string;
  /** Length of the netmask's prefix. */
  prefix: number;
  gateway?: string;
  /** Ways to networks beside it; a gateway of 0.0.0.0: they are on the link itself. */
  routes?: readonly { destination: string; gateway: string }[];
  dns: readonly string[];
  /** Domains that names are looked for in. */
  search: readonly string[];
  mtu?: number;
  /** Address of the server. */
  server: string;
  /** The file to boot, or its URL, and the server that has it. */
  bootFile?: string;
  nextServer?: string;
}

/** The networks that a guest is on: what is known of a card at the time, undefined where no DHCP server has answered. */
export interface Network {
  /** Whether the firmware of the machine waits for what the network answers. */
  isAwaited: (machine: Machine) => boolean;
  /** What the firmware of this boot was told when it tried the card. */
  firmware: (card: Card) => Lease | undefined;
  /** What the system has now. */
  system: (card: Card) => Lease | undefined;
  /** The system asks anew, before it has to. */
  renew: (card: Card) => void;
}

/** Networks without a DHCP server. */
export const silentNetwork: Network = {
  isAwaited: () => false,
  firmware: () => undefined,
  system: () => undefined,
  renew: () => undefined,
};
