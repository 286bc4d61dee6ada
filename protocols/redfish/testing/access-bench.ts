import { randomBytes } from 'node:crypto';
import type { Account, Role } from '../../accounts.ts';
import type { Requester } from '../../machine/index.ts';
import { memoryAccount, MemoryAccounts, MemoryMachine, MemoryRedfishState } from '../../testing/index.ts';
import { type Access, accessRoutes, createAccess } from '../access/access.ts';
import type { Caller, Resource } from '../resource.ts';
import type { RedfishContext } from '../context.ts';
import type { RedfishOptions } from '../options.ts';
import { ResourceTree } from '../service/resource-tree.ts';
import { FakeBmc } from './fake-bmc.ts';
import { basic as basicHeader } from './loopback.ts';
import type { RedfishStateStore } from '../state.ts';

export const ADDRESS = '192.0.2.1';
export const OTHER_ADDRESS = '198.51.100.7';

/** Test users: `admin` is the owner's account; each password is the name followed by `-pass`. */
const USERS: Readonly<Record<string, { id: number; role: Role; enabled?: boolean }>> = {
  admin: { id: 2, role: 'Administrator' },
  chief: { id: 3, role: 'Administrator' },
  operator: { id: 4, role: 'Operator' },
  reader: { id: 5, role: 'ReadOnly' },
  outsider: { id: 6, role: 'NoAccess' },
  leaver: { id: 7, role: 'Administrator', enabled: false },
};

function passwordOf(user: string): string {
  return `${user}-pass`;
}

export function basic(user: string, password = passwordOf(user)): { authorization: string } {
  return basicHeader(user, password);
}

/** Accounts, store and clock of a BMC, and any number of processes of it. */
export class AccessBench {
  readonly accounts = new MemoryAccounts(
    { username: 'admin', password: passwordOf('admin') },
    Object.entries(USERS)
      .filter(([name]) => name !== 'admin')
      .map(([username, { id, ...fields }]) =>
        memoryAccount(id, { username, password: passwordOf(username), ...fields }),
      ),
  );
  readonly state: MemoryRedfishState;
  readonly machine = new MemoryMachine();
  /** ms, for both clocks */
  time = 1_700_000_000_000;
  admitsLogins = true;
  ipmiPort: number | undefined = 623;
  lockout = { threshold: 5, seconds: 60 };
  readonly told: string[] = [];
  readonly failures: unknown[] = [];
  #scheduled: { work: () => void; at: number }[] = [];
  readonly access: Access;
  readonly context: RedfishContext;
  readonly #tree: ResourceTree;

  constructor(state = new MemoryRedfishState()) {
    this.state = state;
    this.access = createAccess(this.optionsOn(state));
    this.context = {
      options: this.optionsOn(state),
      sessions: this.access.sessions,
      logins: this.access.logins,
      events: { publish: () => undefined },
    };
    this.#tree = new ResourceTree(accessRoutes(this.context));
  }

  /** Options of a process that sees the store as `state`. */
  optionsOn(state: RedfishStateStore): RedfishOptions {
    const told = (what: string, { user, address }: Requester): void => {
      this.told.push(`${user}@${address} ${what}`);
    };
    return {
      ...new FakeBmc().options,
      machine: this.machine,
      accounts: this.accounts,
      state,
      network: () => ({
        hostName: 'testvm-bmc',
        addresses: [],
        httpsPort: 443,
        ...(this.ipmiPort !== undefined && { ipmiPort: this.ipmiPort }),
      }),
      lockout: () => this.lockout,
      admitsLogins: () => this.admitsLogins,
      observer: {
        loggedIn: (requester) => {
          told('logged in', requester);
        },
        loginFailed: (requester, why) => {
          told(why, requester);
        },
        audited: (requester, what) => {
          told(what, requester);
        },
        undelivered: () => undefined,
        unsubscribed: () => undefined,
        failed: (error) => {
          this.failures.push(error);
        },
      },
      random: randomBytes,
      time: () => this.time,
      now: () => this.time,
      schedule: (work, delay) => {
        const entry = { work, at: this.time + delay };
        this.#scheduled.push(entry);
        return () => {
          this.#scheduled = this.#scheduled.filter((other) => other !== entry);
        };
      },
    };
  }

  get scheduled(): number {
    return this.#scheduled.length;
  }

  /** Advances the time and runs due timers. */
  async pass(ms: number): Promise<void> {
    this.time += ms;
    const due = this.#scheduled.filter(({ at }) => at <= this.time);
    this.#scheduled = this.#scheduled.filter((entry) => !due.includes(entry));
    for (const { work } of due) work();
    await settled();
  }

  account(name: string): Account {
    const found = this.accounts.list().find((account) => account.name === name);
    if (found === undefined) throw new Error(`there is no account ${name}`);
    return found;
  }

  async change(name: string, change: Parameters<MemoryAccounts['change']>[1]): Promise<void> {
    await this.accounts.change(this.account(name).id, change);
  }

  caller(name: string, session?: string): Caller {
    return {
      account: this.account(name),
      requester: { protocol: 'Redfish', user: name, address: ADDRESS },
      ...(session !== undefined && { session }),
    };
  }

  /** The resource at a path below `/redfish/v1`. */
  at(path: string): Resource {
    const found = this.#tree.find(`/redfish/v1${path}`);
    if (found === undefined) throw new Error(`there is nothing at ${path}`);
    return found.resource;
  }

  has(path: string): boolean {
    return this.#tree.find(`/redfish/v1${path}`) !== undefined;
  }
}

/** Runs all pending promise callbacks. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** The error as clients see it. */
export async function refusalOf(work: () => unknown): Promise<{ status?: number; ids: string[]; headers: object }> {
  try {
    await work();
  } catch (error) {
    const {
      status,
      messages = [],
      headers = {},
    } = error as {
      status?: number;
      messages?: { MessageId: string }[];
      headers?: object;
    };
    if (status === undefined) throw error;
    return { status, ids: messages.map(({ MessageId }) => MessageId.split('.').at(-1) ?? ''), headers };
  }
  return { ids: [], headers: {} };
}
