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
import { CardClient } from './card-client.ts';
import { firmwareIdentity, systemIdentity } from './identities.ts';
import { leaseOf } from './lease-of.ts';
import { triedFirst } from './tried-first.ts';

/** Milliseconds for which firmware asks one card: a boot without answer goes on, if not at once. */
const PATIENCE = 10_000;

interface PluggedIn {
  client: CardClient;
  /** What the firmware of the present boot was told. */
  booted: DhcpMessage | undefined;
  /** The address that the system has now. */
  address: string | undefined;
  /** The one that it had last, and asks for when it comes up. */
  former: string | undefined;
}

/** The network of one guest as the software in it sees it: asks for leases over real sockets, and knows what came back. */
export class DhcpGuestNetwork implements GuestNetwork {
  readonly #options: GuestNetworkOptions;
  /** By the card's name. */
  readonly #cards = new Map<string, PluggedIn>();
  /** Counts the boots: what one of before was about to do is not done any more. */
  #boot = 0;

  /** @param virtualSwitch what the cards are plugged into */
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

  /** What firmware does before it comes to a drive: asks the cards that come first, one after the other. */
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

  /** The system brings its network up. */
  up(machine: Machine): void {
    for (const card of machine.cards) {
      const plugged = this.#cards.get(card.name);
      if (plugged === undefined) continue;
      plugged.client.keep(systemIdentity(machine), plugged.former, () => {
        this.#compare(card, plugged);
      });
    }
  }

  /** The machine begins to boot: nothing of before is under way any more. */
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
