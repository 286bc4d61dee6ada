import { randomBytes } from 'node:crypto';
import type { Account, Role } from '../../accounts.ts';
import type { Requester } from '../../machine/index.ts';
import { memoryAccount, MemoryAccounts } from '../../testing/index.ts';
import { type Access, accessRoutes, createAccess } from '../access/access.ts';
import { AccountEditor } from '../access/account-editor.ts';
import type { Caller, Resource } from '../resource.ts';
import { RedfishError } from '../messages.ts';
import type { ManagerNetwork, RedfishOptions } from '../options.ts';
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

/** A {@link FakeBmc} with users, log-ins and due times, and any number of processes of it. */
export class AccessBench extends FakeBmc {
  readonly accounts = new MemoryAccounts(
    { username: 'admin', password: passwordOf('admin') },
    Object.entries(USERS)
      .filter(([name]) => name !== 'admin')
      .map(([username, { id, ...fields }]) =>
        memoryAccount(id, { username, password: passwordOf(username), ...fields }),
      ),
  );
  override network: ManagerNetwork = { hostName: 'testvm-bmc', addresses: [], httpsPort: 443, ipmiPort: 623 };
  admitsLogins = true;
  lockout = { threshold: 5, seconds: 60 };
  readonly told: string[] = [];
  readonly failures: unknown[] = [];
  #scheduled: { work: () => void; at: number }[] = [];
  readonly access: Access;
  readonly #tree: ResourceTree;

  constructor() {
    super();
    const options = this.optionsOn(this.state);
    this.access = createAccess(options);
    const context = { ...this.context, options, sessions: this.access.sessions, logins: this.access.logins };
    this.#tree = new ResourceTree(() => accessRoutes(context, new AccountEditor(context)));
  }

  /** Options of a process that sees the store as `state`. */
  optionsOn(state: RedfishStateStore): RedfishOptions {
    const told = ({ user, address }: Requester, what: string): void => {
      this.told.push(`${user}@${address} ${what}`);
    };
    return {
      ...this.options,
      accounts: this.accounts,
      state,
      lockout: () => this.lockout,
      admitsLogins: () => this.admitsLogins,
      observer: {
        ...this.options.observer,
        loggedIn: (requester) => {
          told(requester, 'logged in');
        },
        loginFailed: told,
        audited: told,
        failed: (error) => {
          this.failures.push(error);
        },
      },
      random: randomBytes,
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

/** A refusal as clients see it: `503 SessionLimitExceeded, retry after 60 s`; `none` if there is none. */
export async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RedfishError)) throw error;
    const ids = error.messages.map(({ MessageId }) => MessageId.split('.').at(-1));
    const retry = error.headers['Retry-After'];
    return `${error.status} ${ids.join(' ')}${retry === undefined ? '' : `, retry after ${retry} s`}`;
  }
  return 'none';
}
