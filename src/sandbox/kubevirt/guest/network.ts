import type { Card } from './machine.ts';

/** What a network card is told when the firmware asks for an address. */
export interface Lease {
  address: string;
  netmask: string;
  gateway?: string;
}

/** The networks that guests are on: answers for one card, or undefined where no DHCP server does. */
export type Network = (card: Card) => Lease | undefined;

/** Networks without a DHCP server. */
export const silentNetwork: Network = () => undefined;
