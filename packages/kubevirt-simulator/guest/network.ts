import type { Clock } from '@groundcrew/controller-runtime';
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

/** What the cards of guests are plugged into. */
export interface VirtualSwitch {
  /** @param network `namespace/name` of the card's net-attach-def, which may not exist yet */
  plug(network: string, receive: (datagram: Uint8Array) => void): SwitchPort;
}

export interface SwitchPort {
  /** Sends the payload of a UDP datagram to the DHCP servers of the network: to all (255.255.255.255) or to the one at `address`. */
  send(datagram: Uint8Array, address: string): void;
  unplug(): void;
}

/** The network software of one guest: what its firmware and its system do to get addresses. */
export interface GuestNetwork extends Network {
  /** The firmware asks the cards that come before a bootable drive, in their order; resolves after the last answer. */
  tryFirst(machine: Machine): Promise<void>;
  /** The system configures its network. */
  up(machine: Machine): void;
  /** The machine begins to boot. */
  down(): void;
  pause(): void;
  resume(): void;
  close(): void;
}

export interface GuestNetworkOptions {
  /** Of the guest; those on the pod network are left alone. */
  cards: readonly Card[];
  clock: Clock;
  /** At least 0, less than 1. */
  random: () => number;
  /** The system has a new address, or has lost it. */
  onLease: (card: Card, lease: Lease | undefined) => void;
}

/** Networks without a DHCP server. */
export const silentNetwork: Network = {
  isAwaited: () => false,
  firmware: () => undefined,
  system: () => undefined,
  renew: () => undefined,
};
