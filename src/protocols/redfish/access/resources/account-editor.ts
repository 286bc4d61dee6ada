import { createHmac } from 'node:crypto';
import { type Account, type AccountChange, AccountError, MAX_ACCOUNT, OWNER_ACCOUNT } from '../../../accounts.ts';
import type { Caller } from '../../caller.ts';
import type { RedfishContext } from '../../context.ts';
import type { JsonObject } from '../../json.ts';
import { base, RedfishError } from '../../messages/index.ts';
import { ACCOUNTS } from '../../uris.ts';
import { mustChangePassword } from '../authentication/must-change-password.ts';
import { accountRefusal } from './account-refusals.ts';
import { fitsIpmi } from './account-types.ts';

/** Which property of ManagerAccount a field of an account comes from. */
const PROPERTIES: Readonly<Partial<Record<keyof AccountChange, string>>> = {
  name: 'UserName',
  password: 'Password',
  role: 'RoleId',
  enabled: 'Enabled',
  ipmiMessaging: 'AccountTypes',
};

/** Makes, changes and removes accounts, one after the other, with all that goes with it. */
export class AccountEditor {
  readonly #context: RedfishContext;
  readonly #key: Buffer;
  /** Ends when what was asked for last is done: two that are made at once would get the same ID. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: RedfishContext) {
    this.#context = context;
    this.#key = context.options.random(32);
  }

  /** @returns the ID of what was made @throws RedfishError */
  async create(properties: JsonObject, caller: Caller): Promise<number> {
    return await this.#inTurn(async () => {
      const accounts = this.#context.options.accounts.list();
      const id = freeId(accounts);
      const change = { enabled: true, ...changeOf(properties) };
      checkTypes({ name: '', password: undefined, ...change }, properties);
      // Else it would take the place of the other, where that has the free ID by now.
      if (accounts.some(({ name }) => name === change.name)) {
        throw accountRefusal(new AccountError('Taken', 'there is one of that name'), written(change));
      }
      await this.#requirePasswordChange(id, properties['PasswordChangeRequired'] === true);
      await this.#change(id, change);
      this.#tell(caller, change.name ?? '', `was added with the role ${change.role ?? ''}`);
      return id;
    });
  }

  /** @throws RedfishError */
  async change(id: number, properties: JsonObject, caller: Caller): Promise<void> {
    await this.#inTurn(async () => {
      const account = this.#accountOf(id);
      const change = differenceTo(account, changeOf(properties));
      checkTypes({ ...account, ...change }, properties);
      const names = [...written(change).keys()];
      if (names.length > 0) await this.#change(id, change);
      // Another password is one that the user has chosen, unless it is said not to be.
      const required = properties['PasswordChangeRequired'] ?? (change.password === undefined ? undefined : false);
      if (typeof required === 'boolean') await this.#requirePasswordChange(id, required);
      if (names.length === 0) return;
      const own = caller.account.id === id ? caller.session : undefined;
      if (names.some((name) => name !== 'AccountTypes')) await this.#context.sessions.accountChanged(id, own);
      this.#tell(caller, account.name, `was changed: ${names.join(', ')}`);
    });
  }

  /** @throws RedfishError */
  async remove(id: number, caller: Caller): Promise<void> {
    await this.#inTurn(async () => {
      const account = this.#accountOf(id);
      await this.#change(id, { name: '' });
      await this.#context.sessions.accountChanged(id);
      await this.#requirePasswordChange(id, false);
      this.#tell(caller, account.name, 'was removed');
    });
  }

  /** Another one as soon as the password is another, and nothing that tells it: the key is this process's own. */
  revisionOf({ password }: Account): string {
    return createHmac('sha256', this.#key)
      .update(password ?? '')
      .digest('base64url');
  }

  mustChangePassword(account: number): boolean {
    return mustChangePassword(this.#context.options.state.current(), account);
  }

  /** It may have gone while others had their turn. */
  #accountOf(id: number): Account {
    const account = this.#context.options.accounts.list().find((one) => one.id === id);
    if (account !== undefined) return account;
    throw new RedfishError(404, [base('ResourceMissingAtURI', [`${ACCOUNTS}/${id}`])]);
  }

  async #change(id: number, change: AccountChange): Promise<void> {
    try {
      await this.#context.options.accounts.change(id, change);
    } catch (error) {
      throw error instanceof AccountError ? accountRefusal(error, written(change)) : error;
    }
  }

  async #requirePasswordChange(account: number, isRequired: boolean): Promise<void> {
    if (this.mustChangePassword(account) === isRequired) return;
    await this.#context.options.state.change(({ settings }) => {
      const others = (settings?.passwordChangeRequired ?? []).filter((id) => id !== account);
      return { settings: { ...settings, passwordChangeRequired: isRequired ? [...others, account] : others } };
    });
  }

  #tell({ requester }: Caller, account: string, what: string): void {
    const { machine, observer } = this.#context.options;
    machine.log.append({ kind: 'AccountChanged', account, requester });
    observer.audited(requester, `the account ${JSON.stringify(account)} ${what}`);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done;
    return await done;
  }
}

function freeId(accounts: readonly Account[]): number {
  for (let id = OWNER_ACCOUNT + 1; id <= MAX_ACCOUNT; id += 1) {
    if (!accounts.some((account) => account.id === id)) return id;
  }
  throw new RedfishError(400, [base('CreateLimitReachedForResource')]);
}

function changeOf({ UserName, Password, RoleId, Enabled, AccountTypes }: JsonObject): AccountChange {
  return {
    ...(typeof UserName === 'string' && { name: UserName }),
    ...(typeof Password === 'string' && { password: Buffer.from(Password) }),
    ...((RoleId === 'Administrator' || RoleId === 'Operator' || RoleId === 'ReadOnly') && { role: RoleId }),
    ...(typeof Enabled === 'boolean' && { enabled: Enabled }),
    ...(Array.isArray(AccountTypes) && { ipmiMessaging: AccountTypes.includes('IPMI') }),
  };
}

/** Configuration tools write back what they have read. */
function differenceTo(account: Account, change: AccountChange): AccountChange {
  const { password, ...others } = change;
  const entries = Object.entries(others).filter(([field, value]) => account[field as keyof Account] !== value);
  const isAnother = password !== undefined && account.password?.equals(password) !== true;
  return { ...Object.fromEntries(entries), ...(isAnother && { password }) };
}

/** The properties that stand behind a change, with values that may be told. */
function written(change: AccountChange): Map<string, string> {
  const entries = Object.entries(change).flatMap(([field, value]): [string, string][] => {
    const property = PROPERTIES[field as keyof AccountChange];
    return property === undefined ? [] : [[property, Buffer.isBuffer(value) ? '' : String(value)]];
  });
  return new Map(entries);
}

/** All accounts are Redfish's, and IPMI's only if it can carry their names and passwords. */
function checkTypes(account: Pick<Account, 'name' | 'password'>, { AccountTypes }: JsonObject): void {
  if (!Array.isArray(AccountTypes)) return;
  if (!AccountTypes.includes('Redfish')) {
    throw new RedfishError(400, [base('PropertyValueError', ['AccountTypes'], ['#/AccountTypes'])]);
  }
  if (AccountTypes.includes('IPMI') && !fitsIpmi(account)) {
    const resolution =
      'IPMI carries names of up to 16 bytes and passwords of up to 20: shorten them or leave IPMI out.';
    throw new RedfishError(400, [
      { ...base('PropertyValueConflict', ['AccountTypes', 'Password'], ['#/AccountTypes']), Resolution: resolution },
    ]);
  }
}
