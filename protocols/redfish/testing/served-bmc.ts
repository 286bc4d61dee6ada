import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect } from 'vitest';
import { MemoryAccounts, memoryAccount } from '../../testing/index.ts';
import { createRedfishService, type RedfishService } from '../index.ts';
import { FakeBmc } from './fake-bmc.ts';

export const OWNER = { username: 'owner', password: 'Quux-7-plugh' };
/** Password of `watcher`, `operator` and `novice`; `novice` must change it. */
export const PASSWORD = 'Plover-9-xyzzy';

interface Link {
  readonly '@odata.id': string;
}

/** The parts of an answer that clients use. */
export interface Seen extends Link {
  readonly [property: string]: unknown;
  readonly '@odata.etag': string;
  readonly Members: readonly Link[];
  readonly Links: { readonly Sessions: Link };
  readonly VirtualMedia: Link;
  readonly Actions: Readonly<Record<string, { readonly target: string }>>;
  readonly Boot: Readonly<Record<string, unknown>>;
  readonly PowerState: string;
  readonly Systems: unknown;
  readonly MediaTypes: readonly string[];
  readonly error: { readonly '@Message.ExtendedInfo': readonly Readonly<Record<string, unknown>>[] };
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Seen;
}

export function basic(username = OWNER.username, password = OWNER.password): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** A new {@link ServedBmc} for each test; checks after each test that there was no 500. Call it once per file, outside of tests. */
export function serveForEach(): Pick<ServedBmc, 'bmc' | 'ask' | 'read'> {
  let served: ServedBmc;
  beforeEach(async () => {
    served = await ServedBmc.start();
  });
  afterEach(async () => {
    await served.close();
    expect(served.failures).toEqual([]);
  });
  return {
    get bmc() {
      return served.bmc;
    },
    ask: (...args) => served.ask(...args),
    read: (...args) => served.read(...args),
  };
}

/** The whole service of one machine on a loopback port. */
class ServedBmc {
  readonly bmc: FakeBmc;
  /** Errors that the service answered with 500. */
  readonly failures: unknown[] = [];
  readonly #service: RedfishService;
  readonly #server: Server;

  private constructor(bmc: FakeBmc) {
    this.bmc = bmc;
    const others = [
      memoryAccount(3, { username: 'watcher', password: PASSWORD, role: 'ReadOnly' }),
      memoryAccount(5, { username: 'operator', password: PASSWORD, role: 'Operator' }),
      memoryAccount(4, { username: 'novice', password: PASSWORD, role: 'Administrator' }),
    ];
    this.#service = createRedfishService({
      ...bmc.options,
      accounts: new MemoryAccounts(OWNER, others),
      random: randomBytes,
      observer: { ...bmc.options.observer, failed: (error) => this.failures.push(error) },
    });
    this.#server = createServer(this.#service.handler);
  }

  static async start(): Promise<ServedBmc> {
    const bmc = new FakeBmc();
    bmc.legacyProperties = true;
    bmc.machine.parts = {
      manufacturer: 'Example',
      firmware: 'UEFI',
      cpuCount: 2,
      memoryBytes: 2 ** 31,
      networkInterfaces: [{ name: 'default', macAddress: '02:00:00:00:00:01', ipAddresses: ['192.0.2.7'] }],
      disks: [{ name: 'root', kind: 'Disk', bus: 'virtio', isReadOnly: false, capacityBytes: 2 ** 33 }],
    };
    bmc.machine.options = [{ id: 'disk:root', device: 'Hdd', instance: 1, name: 'root', order: 1 }];
    await bmc.state.change(() => ({ settings: { passwordChangeRequired: [4] } }));
    const served = new ServedBmc(bmc);
    await new Promise<void>((resolve) => served.#server.listen(0, '127.0.0.1', resolve));
    return served;
  }

  async close(): Promise<void> {
    this.#service.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** @param body undefined: no body and no Content-Type */
  async ask(request: string, body?: object, headers: Record<string, string> = basic()): Promise<Reply> {
    const [method = '', path = ''] = request.split(' ');
    // Null for a closed server, a string for a pipe.
    const { port } = this.#server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // Tests assert the contents.
    return { status: response.status, headers: response.headers, json: JSON.parse(text === '' ? '{}' : text) as Seen };
  }

  /** The resource at a URI. @throws Error with the status if it is not readable */
  async read(uri: string, headers?: Record<string, string>): Promise<Seen> {
    const { status, json } = await this.ask(`GET ${uri}`, undefined, headers);
    if (status !== 200) throw new Error(`GET ${uri} is answered ${status}`);
    return json;
  }
}
