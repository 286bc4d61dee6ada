import { type Account, type AccountChange, AccountError, AccountLimitError } from '../../accounts.ts';
import { type Caller, secretRevisions } from '../resource.ts';
import type { RedfishContext } from '../context.ts';
import type { JsonObject } from '../json.ts';
import { base, type Message, RedfishError } from '../messages.ts';
import { ACCOUNTS } from '../uris.ts';
import { mustChangePassword } from './guarded-logins.ts';
import { fitsIpmi } from './account-rules.ts';

/** The ManagerAccount property of each account field. */
const PROPERTIES: Readonly<Partial<Record<keyof AccountChange, string>>> = {
  name: 'UserName',
  password: 'Password',
  role: 'RoleId',
  enabled: 'Enabled',
  ipmiMessaging: 'AccountTypes',
};

/** Creates, changes and deletes accounts one at a time, with all side effects. */
export class AccountEditor {
  readonly #context: RedfishContext;
  readonly #revisionOf: (secret: string | Buffer) => string;
  /** Resolves when the last queued operation is done, so that each operation sees the result of the previous one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: RedfishContext) {
    this.#context = context;
    this.#revisionOf = secretRevisions(context.options.random);
  }

  /** @returns the ID of the new account @throws RedfishError */
  async create(properties: JsonObject, caller: Caller): Promise<number> {
    return await this.#inTurn(async () => {
      const change = { enabled: true, ...changeOf(properties) };
      checkTypes({ name: '', password: undefined, ...change }, properties);
      const isRequired = properties['PasswordChangeRequired'] === true;
      // The ID is known only after the account is stored; until it is marked under that ID, log-in must not be possible.
      const isLater = isRequired && change.enabled;
      const id = await this.#add(isLater ? { ...change, enabled: false } : change);
      this.#tell(caller, change.name ?? '', `was added with the role ${change.role ?? ''}`);
      await this.#requirePasswordChange(id, isRequired);
      if (isLater) await this.#change(id, { enabled: true });
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
      // A new password counts as chosen by the user unless the request says otherwise.
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

  /** Changes with the password. */
  revisionOf({ password }: Account): string {
    return this.#revisionOf(password ?? '');
  }

  mustChangePassword(account: number): boolean {
    return mustChangePassword(this.#context.options.state.current(), account);
  }

  /** The account may have been deleted while this operation was queued. */
  #accountOf(id: number): Account {
    const account = this.#context.options.accounts.list().find((one) => one.id === id);
    if (account !== undefined) return account;
    throw new RedfishError(404, [base('ResourceMissingAtURI', [`${ACCOUNTS}/${id}`])]);
  }

  async #add(account: AccountChange): Promise<number> {
    return await refusable(account, () => this.#context.options.accounts.add(account));
  }

  async #change(id: number, change: AccountChange): Promise<void> {
    await refusable(change, () => this.#context.options.accounts.change(id, change));
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

async function refusable<T>(change: AccountChange, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AccountLimitError) throw new RedfishError(400, [base('CreateLimitReachedForResource')]);
    throw error instanceof AccountError ? accountRefusal(error, written(change)) : error;
  }
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

/** Clients may write back the values that they have read. */
function differenceTo(account: Account, change: AccountChange): AccountChange {
  const { password, ...others } = change;
  const entries = Object.entries(others).filter(([field, value]) => account[field as keyof Account] !== value);
  const isAnother = password !== undefined && account.password?.equals(password) !== true;
  return { ...Object.fromEntries(entries), ...(isAnother && { password }) };
}

/** The properties behind a change, with values that may be shown. */
function written(change: AccountChange): Map<string, string> {
  const entries = Object.entries(change).flatMap(([field, value]): [string, string][] => {
    const property = PROPERTIES[field as keyof AccountChange];
    return property === undefined ? [] : [[property, Buffer.isBuffer(value) ? '' : String(value)]];
  });
  return new Map(entries);
}

/** Every account has type Redfish; IPMI only if its name and password fit. */
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

const RETRY_AFTER = '10';

/**
 * The error response for an account that could not be changed.
 *
 * @param properties the properties to write and their values; without the value of a password
 */
function accountRefusal(error: AccountError, properties: ReadonlyMap<string, string>): RedfishError {
  const names = [...properties.keys()];
  // Resolution is the only part of a message that can hold our own text.
  const explained = (message: Message): Message => ({ ...message, Resolution: sentence(error.message) });
  switch (error.code) {
    case 'ReadOnly':
      return new RedfishError(
        400,
        names.map((name) => explained(base('PropertyNotWritable', [name], [`#/${name}`]))),
      );
    case 'Taken':
      return new RedfishError(409, [
        base('ResourceAlreadyExists', ['ManagerAccount', 'UserName', properties.get('UserName') ?? ''], ['#/UserName']),
      ]);
    case 'Invalid':
      return new RedfishError(
        400,
        names
          .filter((name) => name === 'UserName' || name === 'Password')
          .map((name) => explained(base('PropertyValueError', [name], [`#/${name}`]))),
      );
    case 'Unavailable':
      return new RedfishError(503, [explained(base('ServiceTemporarilyUnavailable', [RETRY_AFTER]))], {
        'Retry-After': RETRY_AFTER,
      });
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
