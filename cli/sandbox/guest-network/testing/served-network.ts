import { parseIpv4, parseIpv4Cidr } from '../../../../api/index.ts';
import type { Clock } from '@groundcrew/controller-runtime';
import {
  decodeMessage,
  DhcpServer,
  MESSAGE_TYPE,
  OPTION,
  optionOf,
  type Lease,
  type LeaseBoot,
  type NetworkSettings,
} from '../../../../protocols/dhcp/index.ts';
import type { SwitchPort, VirtualSwitch } from '@groundcrew/kubevirt-simulator/guest';

const BROADCAST = '255.255.255.255';
const NAMES = new Map<number, string>(Object.entries(MESSAGE_TYPE).map(([name, code]) => [code, name]));

/** A network with the real DHCP server, without sockets. Answers arrive after one turn of the event loop. */
export class ServedNetwork implements VirtualSwitch {
  /** Messages sent by cards: `discover to broadcast as PXEClient`. */
  readonly heard: string[] = [];
  /** Address of the only known client; undefined: no client is known. */
  address: string | undefined = '10.0.0.7';
  settings: Partial<NetworkSettings> = {};
  boot: LeaseBoot | undefined;
  /** Whether messages are delivered. */
  isUp = true;
  readonly #clock: Clock;
  readonly #server: DhcpServer;
  #lease: Lease | undefined;
  #made = '';

  constructor(clock: Clock, mac: string) {
    this.#clock = clock;
    const macAddress = Number.parseInt(mac.replaceAll(':', ''), 16);
    this.#server = new DhcpServer({
      store: { isFresh: true, find: (asked) => (asked === macAddress ? this.#leaseOf(macAddress) : undefined) },
    });
  }

  plug(_network: string, receive: (datagram: Uint8Array) => void): SwitchPort {
    let isPluggedIn = true;
    return {
      send: (datagram, to) => {
        this.#note(datagram, to);
        if (!this.isUp) return;
        const origin = { address: number('127.0.0.1'), port: 4000 };
        const reply = this.#server.handle(datagram, origin, this.#clock.now());
        if (reply === undefined) return;
        // The server reuses the buffer in its next call.
        const answer = Uint8Array.from(reply.datagram);
        queueMicrotask(() => {
          if (isPluggedIn) receive(answer);
        });
      },
      unplug: () => {
        isPluggedIn = false;
      },
    };
  }

  #note(datagram: Uint8Array, to: string): void {
    const message = decodeMessage(datagram);
    const type = NAMES.get(optionOf(message, OPTION.messageType)?.[0] ?? 0) ?? '';
    const vendorClass = Buffer.from(optionOf(message, OPTION.vendorClass) ?? [])
      .toString('latin1')
      .split(':')[0];
    const asked = optionOf(message, OPTION.requestedAddress);
    this.heard.push(
      `${type}${asked === undefined ? '' : ` ${asked.join('.')}`} to ${to === BROADCAST ? 'broadcast' : to}` +
        (vendorClass === '' ? '' : ` as ${vendorClass ?? ''}`),
    );
  }

  /** A change creates a new object, as the server requires. */
  #leaseOf(macAddress: number): Lease | undefined {
    const { address, settings, boot } = this;
    if (address === undefined) return undefined;
    const made = JSON.stringify({ address, settings, boot });
    if (this.#lease !== undefined && made === this.#made) return this.#lease;
    this.#made = made;
    const subnet = parseIpv4Cidr('10.0.0.0/24') ?? { first: 0, prefix: 24 };
    return (this.#lease = {
      macAddress,
      ipAddress: number(address),
      settings: {
        pool: 'p',
        serverAddress: number('10.0.0.2'),
        siblings: [number('10.0.0.2')],
        subnet: subnet.first,
        prefix: subnet.prefix,
        dns: [],
        domainSearch: [],
        ntp: [],
        leaseTime: 3600,
        routes: [],
        options: [],
        ...settings,
      },
      ...(boot === undefined ? {} : { boot }),
    });
  }
}

function number(address: string): number {
  const parsed = parseIpv4(address);
  if (parsed === undefined) throw new TypeError(`${address} is no address`);
  return parsed;
}
