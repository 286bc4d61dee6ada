/** What an account may do; Redfish's predefined roles. IPMI's levels: Administrator, Operator, User; none with `NoAccess`. */
export type Role = 'Administrator' | 'Operator' | 'ReadOnly' | 'NoAccess';

/** ID of the account that the owner's Secret makes. 1 is the null user of IPMI, which nobody has. */
export const OWNER_ACCOUNT = 2;
export const MAX_ACCOUNT = 16;

/** Somebody who may log in. */
export interface Account {
  /** 2 to 16, as IPMI numbers users. */
  readonly id: number;
  /** 1 to 16 bytes as UTF-8 for IPMI; longer ones are of Redfish alone. */
  readonly name: string;
  /** As bytes; undefined: none was set yet, and nobody can log in. Over 20 bytes it is of Redfish alone. */
  readonly password: Buffer | undefined;
  readonly role: Role;
  readonly enabled: boolean;
  /** What IPMI's Set User Access and Set User Payload Access take away. */
  readonly ipmiMessaging: boolean;
  readonly serialOverLan: boolean;
}

/** Of an account that does not exist yet: all that is left out is as in {@link NEW_ACCOUNT}. `name: ''` removes it. */
export type AccountChange = Partial<Omit<Account, 'id'>>;

export const NEW_ACCOUNT: Omit<Account, 'id' | 'name'> = {
  password: undefined,
  role: 'NoAccess',
  enabled: false,
  ipmiMessaging: true,
  serialOverLan: true,
};

/**
 * - `ReadOnly`: it stands in a Secret that its owner keeps.
 * - `Taken`: another account has the name.
 * - `Invalid`: no account can be like that.
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

/** There are as many accounts as there can be. */
export class AccountLimitError extends Error {
  override readonly name = 'AccountLimitError';
}

/** The accounts of a BMC, whichever protocol somebody logs in by. */
export interface Accounts {
  /** By ID; the same array until something changes. Empty while nobody can log in. */
  list(): readonly Account[];
  /**
   * Makes one with an ID that is free where it is stored, whoever else makes some meanwhile, and resolves when that is done.
   *
   * @returns its ID
   * @throws AccountError, AccountLimitError
   */
  add(account: AccountChange): Promise<number>;
  /**
   * Makes, changes or removes one, and resolves when that is stored.
   *
   * @throws AccountError
   */
  change(id: number, change: AccountChange): Promise<void>;
}
