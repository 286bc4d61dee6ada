import type { Clock } from '@groundcrew/controller-runtime';
import type { Card, Machine } from './machine.ts';

/** A DHCP lease of a network card. */
export interface Lease {
  address: string;
  netmask: string;
  /** Prefix length of the netmask. */
  prefix: number;
  gateway?: string;
  /** Other routes; the gateway 0.0.0.0 is the link itself. */
  routes?: readonly { destination: string; gateway: string }[];
  dns: readonly string[];
  /** Search domains. */
  search: readonly string[];
  mtu?: number;
  /** Address of the server. */
  server: string;
  /** Boot file or its URL, and its server. */
  bootFile?: string;
  nextServer?: string;
}

/** The networks of a guest; a lease is undefined if no DHCP server has answered. */
export interface Network {
  /** Whether the firmware waits for the network. */
  isAwaited: (machine: Machine) => boolean;
  /** The lease of the firmware in this boot. */
  firmware: (card: Card) => Lease | undefined;
  /** The current lease of the system. */
  system: (card: Card) => Lease | undefined;
  /** The system renews its lease early. */
  renew: (card: Card) => void;
}

/** Connects the cards of guests to networks. */
export interface VirtualSwitch {
  /** @param network `namespace/name` of the card's net-attach-def, which may not exist yet */
  plug(network: string, receive: (datagram: Uint8Array) => void): SwitchPort;
}

export interface SwitchPort {
  /** Sends a UDP payload to all DHCP servers of the network (255.255.255.255) or to the one at `address`. */
  send(datagram: Uint8Array, address: string): void;
  unplug(): void;
}

/** The DHCP clients in the firmware and the system of one guest. */
export interface GuestNetwork extends Network {
  /** The firmware tries the cards before the first bootable drive; resolves after the last answer. */
  tryFirst(machine: Machine): Promise<void>;
  /** The system configures its network. */
  up(machine: Machine): void;
  /** The machine starts to boot. */
  down(): void;
  pause(): void;
  resume(): void;
  close(): void;
}

export interface GuestNetworkOptions {
  /** Cards of the guest; those on the pod network are ignored. */
  cards: readonly Card[];
  clock: Clock;
  /** At least 0, less than 1. */
  random: () => number;
  /** Called with a new lease of the system, or undefined for a lost one. */
  onLease: (card: Card, lease: Lease | undefined) => void;
}

/** Networks without a DHCP server. */
export const silentNetwork: Network = {
  isAwaited: () => false,
  firmware: () => undefined,
  system: () => undefined,
  renew: () => undefined,
};
