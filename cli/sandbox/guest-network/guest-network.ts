import { canonicalMac } from '../../../api/index.ts';
import type { DhcpMessage } from '../../../protocols/dhcp/index.ts';
import type {
  Card,
  GuestNetwork,
  GuestNetworkOptions,
  Lease,
  Machine,
  VirtualSwitch,
} from '@groundcrew/kubevirt-simulator/guest';
import { CardClient, firmwareIdentity, systemIdentity, triedFirst } from './card-client.ts';
import { leaseOf } from './lease-of.ts';

/** Milliseconds for which firmware tries one card. Without an answer the boot continues. */
const PATIENCE = 10_000;

interface PluggedIn {
  client: CardClient;
  /** The ACK that the firmware got in the current boot. */
  booted: DhcpMessage | undefined;
  /** The current address of the operating system. */
  address: string | undefined;
  /** The previous address, which the operating system requests first. */
  former: string | undefined;
}

/** The network of one guest, as its software sees it: a DHCP client over real sockets. */
export class DhcpGuestNetwork implements GuestNetwork {
  readonly #options: GuestNetworkOptions;
  /** By card name. */
  readonly #cards = new Map<string, PluggedIn>();
  /** Counts boots, so that pending work of an earlier boot stops. */
  #boot = 0;

  /** @param virtualSwitch the switch that the cards are connected to */
  constructor(virtualSwitch: VirtualSwitch, options: GuestNetworkOptions) {
    this.#options = options;
    const { cards, clock, random } = options;
    for (const { name, network, mac: text, address } of cards) {
      const mac = canonicalMac(text);
      if (network === undefined || mac === undefined) continue;
      const client = new CardClient({ virtualSwitch, network, mac, clock, random });
      this.#cards.set(name, { client, booted: undefined, address: undefined, former: address });
    }
  }

  readonly isAwaited = (machine: Machine): boolean => triedFirst(machine).some(({ name }) => this.#cards.has(name));

  readonly firmware = ({ name }: Card): Lease | undefined => {
    const message = this.#cards.get(name)?.booted;
    return message === undefined ? undefined : leaseOf(message);
  };

  readonly system = ({ name }: Card): Lease | undefined => {
    const message = this.#cards.get(name)?.client.acknowledged;
    return message === undefined ? undefined : leaseOf(message);
  };

  readonly renew = ({ name }: Card): void => {
    this.#cards.get(name)?.client.renew();
  };

  /** Network boot before the first drive: tries the cards one after the other. */
  async tryFirst(machine: Machine): Promise<void> {
    const boot = this.#boot;
    for (const { name } of triedFirst(machine)) {
      const card = this.#cards.get(name);
      if (card === undefined) continue;
      const answer = await card.client.ask(firmwareIdentity(machine), PATIENCE);
      if (this.#boot !== boot) return;
      card.booted = answer;
    }
  }

  /** The operating system starts its network. */
  up(machine: Machine): void {
    for (const card of machine.cards) {
      const plugged = this.#cards.get(card.name);
      if (plugged === undefined) continue;
      plugged.client.keep(systemIdentity(machine), plugged.former, () => {
        this.#compare(card, plugged);
      });
    }
  }

  /** The machine starts to boot; all earlier activity is stopped. */
  down(): void {
    this.#boot += 1;
    for (const card of this.#cards.values()) {
      card.booted = undefined;
      card.address = undefined;
      card.client.stop();
    }
  }

  pause(): void {
    for (const { client } of this.#cards.values()) client.pause();
  }

  resume(): void {
    for (const { client } of this.#cards.values()) client.resume();
  }

  close(): void {
    this.#boot += 1;
    for (const { client } of this.#cards.values()) client.close();
  }

  #compare(card: Card, plugged: PluggedIn): void {
    const lease = this.system(card);
    if (lease?.address === plugged.address) return;
    plugged.address = lease?.address;
    plugged.former = lease?.address;
    this.#options.onLease(card, lease);
  }
}
