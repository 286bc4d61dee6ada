import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { afterEach, beforeEach, expect } from 'vitest';
import { MemoryAccounts, memoryAccount } from '../../testing/index.ts';
import { createRedfishService, type RedfishService } from '../index.ts';
import { FakeBmc } from './fake-bmc.ts';
import { BOOT_OPTIONS, HARDWARE } from './system-under-test.ts';
import { askAt, basic as basicHeader, type Listening, listening, type Reply } from './loopback.ts';

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
  readonly error: { readonly '@Message.ExtendedInfo': readonly Readonly<Record<string, unknown>>[] };
}

export function basic(username = OWNER.username, password = OWNER.password): Record<string, string> {
  return basicHeader(username, password);
}

/** A new {@link ServedBmc} for each test; checks after each test that there was no 500. Call it once per file, outside of tests. */
export function serveForEach(): Pick<ServedBmc, 'bmc' | 'url' | 'ask' | 'read'> {
  let served: ServedBmc;
  beforeEach(async () => {
    served = new ServedBmc(bmcWithHardware());
    await served.start();
  });
  afterEach(async () => {
    await served.close();
    expect(served.failures).toEqual([]);
  });
  return {
    get bmc() {
      return served.bmc;
    },
    get url() {
      return served.url;
    },
    ask: (...args) => served.ask(...args),
    read: (...args) => served.read(...args),
  };
}

/** A BMC of a machine with hardware, a boot option and a log entry; deprecated properties are shown. */
export function bmcWithHardware(): FakeBmc {
  const bmc = new FakeBmc();
  bmc.legacyProperties = true;
  bmc.machine.parts = HARDWARE;
  bmc.machine.options = BOOT_OPTIONS;
  bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
  return bmc;
}

/** The whole service of one machine on a loopback port. */
class ServedBmc {
  readonly bmc: FakeBmc;
  /** Errors that the service answered with 500. */
  readonly failures: unknown[] = [];
  readonly service: RedfishService;
  #server: Listening | undefined;

  constructor(bmc: FakeBmc) {
    this.bmc = bmc;
    const others = [
      memoryAccount(3, { username: 'watcher', password: PASSWORD, role: 'ReadOnly' }),
      memoryAccount(5, { username: 'operator', password: PASSWORD, role: 'Operator' }),
      memoryAccount(4, { username: 'novice', password: PASSWORD, role: 'Administrator' }),
    ];
    this.service = createRedfishService({
      ...bmc.options,
      accounts: new MemoryAccounts(OWNER, others),
      random: randomBytes,
      observer: { ...bmc.options.observer, failed: (error) => this.failures.push(error) },
    });
  }

  async start(): Promise<void> {
    await this.bmc.state.change(() => ({ settings: { passwordChangeRequired: [4] } }));
    this.#server = await listening(createServer(this.service.handler));
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  async close(): Promise<void> {
    this.service.close();
    await this.#server?.[Symbol.asyncDispose]();
  }

  async ask(request: string, body?: object, headers: Record<string, string> = basic()): Promise<Reply<Seen>> {
    return await askAt<Seen>(this.url, request, body, headers);
  }

  /** The resource at a URI. @throws Error with the status if it is not readable */
  async read(uri: string, headers?: Record<string, string>): Promise<Seen> {
    const { status, json } = await this.ask(`GET ${uri}`, undefined, headers);
    if (status !== 200) throw new Error(`GET ${uri} is answered ${status}`);
    return json;
  }
}
