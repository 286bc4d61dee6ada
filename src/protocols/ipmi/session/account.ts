import { MAX_USERNAME_BYTES } from '../rmcpplus/rakp1.ts';

/** Name and password of the one user of a BMC, as its owner wrote them; strings count as UTF-8. */
export interface Credentials {
  /** 1 to 16 bytes. */
  username: string | Buffer;
  /** 1 to 20 bytes. */
  password: string | Buffer;
  /** The BMC's own key K_G, 1 to 20 bytes; clients then have to know it besides the password. */
  kg?: string | Buffer;
}

/** Longest password and K_G of IPMI 2.0, in bytes. */
const MAX_PASSWORD_BYTES = 20;

/** Credentials in the form that the protocol takes. */
export interface Account {
  readonly name: Buffer;
  readonly userKey: Buffer;
  readonly bmcKey: Buffer | undefined;
}

/**
 * The account of credentials that IPMI can carry; undefined for those that it cannot, with which nobody can log in.
 * An empty name or password is refused too: anonymous log-in is what scanners try first (US-CERT TA13-207A). Nothing is
 * cut to length, since a cut password would let in who knows only its beginning.
 */
export function accountOf(credentials: Credentials | undefined): Account | undefined {
  if (credentials === undefined) return undefined;
  const name = bytesOf(credentials.username);
  const userKey = bytesOf(credentials.password);
  const bmcKey = credentials.kg === undefined ? undefined : bytesOf(credentials.kg);
  const fits =
    isWithin(name, MAX_USERNAME_BYTES) &&
    isWithin(userKey, MAX_PASSWORD_BYTES) &&
    (bmcKey === undefined || isWithin(bmcKey, MAX_PASSWORD_BYTES));
  return fits ? { name, userKey, bmcKey } : undefined;
}

function bytesOf(value: string | Buffer): Buffer {
  return typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
}

function isWithin(value: Buffer, max: number): boolean {
  return value.length > 0 && value.length <= max;
}
