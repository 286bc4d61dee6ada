import {
  DhcpServer,
  decodeMessage,
  type DhcpHandler,
  type DhcpMessage,
  encodeAddresses,
  encodeMessage,
  type EncodedOption,
  type HardwareAddress,
  type Ipv4,
  type Lease,
  MESSAGE_TYPE,
  type MessageFields,
  type NetworkSettings,
  OPTION,
  optionOf,
  type Outcome,
} from '../index.ts';
import type { ClientInputs } from '../server-contract.ts';
import type { Limits } from '../server/packet-limits.ts';

/** `10.77.0.1` as a number; the text is not checked. */
export function ip(text: string): Ipv4 {
  return text.split('.').reduce((address, octet) => address * 256 + Number(octet), 0);
}

/** `52:54:00:12:34:56` as a number. */
export function mac(text: string): HardwareAddress {
  return Number(`0x${text.replaceAll(':', '')}`);
}

export const SERVER = ip('10.77.0.1');
export const SIBLING = ip('10.77.0.3');
export const STRANGER = ip('10.77.0.99');
export const MAC = mac('52:54:00:12:34:56');
export const ADDRESS = ip('10.77.200.1');
export const BROADCAST = ip('255.255.255.255');

export function settings(fields: Partial<NetworkSettings> = {}): NetworkSettings {
  return {
    pool: 'default/prod',
    serverAddress: SERVER,
    siblings: [SERVER, SIBLING],
    subnet: ip('10.77.0.0'),
    prefix: 16,
    router: ip('10.77.0.254'),
    dns: [ip('10.77.0.53'), ip('1.1.1.1')],
    domainName: 'example.com',
    domainSearch: [],
    ntp: [],
    leaseTime: 43_200,
    routes: [],
    options: [],
    ...fields,
  };
}

export function lease(fields: Partial<Lease> = {}): Lease {
  return { macAddress: MAC, ipAddress: ADDRESS, settings: settings(), ...fields };
}

/** A decoded answer and its destination. */
export interface Answered extends DhcpMessage {
  readonly from: Ipv4;
  readonly to: Ipv4;
  readonly port: number;
  readonly datagram: Buffer;
  /** Value of an option in hexadecimal; undefined if absent. */
  option(code: number): string | undefined;
}

export type Told = { readonly [what in 'seen' | 'released' | 'declined' | 'refused' | 'bootConsumed']: Lease[] } & {
  readonly handled: string[];
  readonly acknowledged: ClientInputs[];
  readonly otherServers: Ipv4[];
  readonly dropped: string[];
  readonly failed: unknown[];
};

/** A server with some leases, its own clock and records of its reports. */
export class TestNetwork {
  readonly leases = new Map<HardwareAddress, Lease>();
  readonly told: Told = {
    handled: [],
    seen: [],
    acknowledged: [],
    released: [],
    declined: [],
    refused: [],
    otherServers: [],
    bootConsumed: [],
    dropped: [],
    failed: [],
  };
  isFresh = true;
  now = 1_000;
  readonly server: DhcpHandler;

  constructor(leases: readonly Lease[] = [lease()], limits: Partial<Limits> = {}) {
    for (const each of leases) this.has(each);
    const network = { leases: this.leases, isFresh: () => this.isFresh };
    const { told } = this;
    this.server = new DhcpServer({
      limits,
      store: {
        find: (macAddress) => network.leases.get(macAddress),
        get isFresh() {
          return network.isFresh();
        },
      },
      observer: {
        handled: (type, outcome) => told.handled.push(`${type} ${outcome}`),
        acknowledged: (_lease, _now, inputs) => told.acknowledged.push(inputs()),
        seen: (known) => told.seen.push(known),
        released: (known) => told.released.push(known),
        declined: (known) => told.declined.push(known),
        refused: (known) => told.refused.push(known),
        otherServer: (_lease, server) => told.otherServers.push(server),
        bootConsumed: (known) => told.bootConsumed.push(known),
        dropped: (outcome, _macAddress, detail) => told.dropped.push(`${outcome}: ${detail}`),
        failed: (error) => told.failed.push(error),
      },
    });
  }

  /** Adds a lease, or replaces that of the same MAC address. */
  has(known: Lease): void {
    this.leases.set(known.macAddress, known);
  }

  /** The outcome of the last datagram. */
  get outcome(): Outcome | undefined {
    // Type and outcome, as recorded from the observer.
    return this.told.handled.at(-1)?.split(' ')[1] as Outcome | undefined;
  }

  send(datagram: Uint8Array, origin = { address: 0, port: 68 }): Answered | undefined {
    const reply = this.server.handle(datagram, origin, this.now);
    if (reply === undefined) return undefined;
    // The server overwrites its buffer with the next datagram.
    const bytes = Buffer.from(reply.datagram);
    const message = decodeMessage(bytes);
    return {
      ...message,
      from: reply.from,
      to: reply.to,
      port: reply.port,
      datagram: bytes,
      option: (code) => {
        const value = optionOf(message, code);
        return value && Buffer.from(value).toString('hex');
      },
    };
  }

  ask(
    type: keyof typeof MESSAGE_TYPE,
    options: Options = {},
    fields: Partial<MessageFields> = {},
  ): Answered | undefined {
    return this.send(message(type, options, fields));
  }
}

/** Options of a message by code: an address, or the bytes of the value. */
export type Options = Readonly<Record<number, Ipv4 | Uint8Array | undefined>>;

/** A message of the client that has the lease. */
export function message(
  type: keyof typeof MESSAGE_TYPE,
  options: Options = {},
  fields: Partial<MessageFields> = {},
): Buffer {
  const encoded: EncodedOption[] = Object.entries(options).flatMap(([code, value]) => {
    if (value === undefined) return [];
    return { code: Number(code), value: typeof value === 'number' ? encodeAddresses([value]) : value };
  });
  return encodeMessage({
    op: 1,
    xid: 0x12345678,
    macAddress: MAC,
    options: [{ code: OPTION.messageType, value: Uint8Array.of(MESSAGE_TYPE[type]) }, ...encoded],
    ...fields,
  });
}

/** A parameter request list. */
export function asking(...codes: number[]): Options {
  return { [OPTION.parameterRequestList]: Uint8Array.from(codes) };
}

export function text(value: string): Uint8Array {
  return Buffer.from(value);
}

/** `value` as {@link Answered.option} shows it. */
export function hex(value: string | Ipv4): string {
  return (typeof value === 'string' ? Buffer.from(value) : Buffer.from(encodeAddresses([value]))).toString('hex');
}
