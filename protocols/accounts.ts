/** Rights of an account: Redfish's predefined roles. In IPMI: Administrator, Operator, User; `NoAccess` has no privilege. */
export type Role = 'Administrator' | 'Operator' | 'ReadOnly' | 'NoAccess';

/** ID of the owner's account. ID 1 is the null user of IPMI, which is never used. */
export const OWNER_ACCOUNT = 2;
export const MAX_ACCOUNT = 16;
/** Minimum length of new passwords, unless clients have set another one. */
export const DEFAULT_MIN_PASSWORD = 8;

/** An account that may log in. */
export interface Account {
  /** 2 to 16, as in IPMI. */
  readonly id: number;
  /** 1 to 16 bytes of UTF-8 for IPMI; longer names work with Redfish only. */
  readonly name: string;
  /** Password bytes. If undefined, login is impossible. Passwords over 20 bytes work with Redfish only. */
  readonly password: Buffer | undefined;
  readonly role: Role;
  readonly enabled: boolean;
  /** Cleared by IPMI's Set User Access and Set User Payload Access. */
  readonly ipmiMessaging: boolean;
  readonly serialOverLan: boolean;
}

/** For a new account, missing fields come from {@link NEW_ACCOUNT}. `name: ''` removes the account. */
export type AccountChange = Partial<Omit<Account, 'id'>>;

export const NEW_ACCOUNT: Omit<Account, 'id' | 'name'> = {
  password: undefined,
  role: 'NoAccess',
  enabled: false,
  ipmiMessaging: true,
  serialOverLan: true,
};

/**
 * - `ReadOnly`: the owner manages the account outside of the BMC.
 * - `Taken`: another account has the name.
 * - `Invalid`: the values are not allowed.
 * - `Unavailable`: it could not be stored.
 */
export type AccountErrorCode = 'ReadOnly' | 'Taken' | 'Invalid' | 'Unavailable';

export class AccountError extends Error {
  override readonly name = 'AccountError';
  readonly code: AccountErrorCode;

  constructor(code: AccountErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The maximum number of accounts exists already. */
export class AccountLimitError extends Error {
  override readonly name = 'AccountLimitError';
}

/** The accounts of a BMC, for all protocols. */
export interface Accounts {
  /** By ID; the same array until something changes. Empty while no login is possible. */
  list(): readonly Account[];
  /**
   * Creates an account with a free ID, safe against concurrent creation. Resolves when it is stored.
   *
   * @returns its ID
   * @throws AccountError, AccountLimitError
   */
  add(account: AccountChange): Promise<number>;
  /**
   * Creates, changes or removes an account. Resolves when that is stored.
   *
   * @throws AccountError
   */
  change(id: number, change: AccountChange): Promise<void>;
}
