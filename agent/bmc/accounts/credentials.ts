import { IPMI_CREDENTIAL_LIMITS, SECRET_KEYS } from '../../../api/index.ts';
import type { Secret } from '@groundcrew/controller-runtime';

/** The credentials in the owner's Secret. */
export interface Credentials {
  /** 1 to 16 bytes of UTF-8; no upper limit without IPMI */
  username: Buffer;
  /** 1 to 20 bytes; no upper limit without IPMI */
  password: Buffer;
  /** K_G, 1 to 20 bytes. */
  kg?: Buffer;
}

/** The credentials of a Secret, or a readable description of the problem. */
export type CredentialsReading = { credentials: Credentials } | { problem: string };

/**
 * Reads the user of a BMC from its Secret. If IPMI is on, values too long for IPMI are a problem; they are not truncated.
 *
 * @param withheld see `ObjectWatch`
 */
export function credentialsOf(
  secret: Secret | undefined,
  { name, withheld }: { name: string; withheld?: string | undefined },
  isForIpmi = true,
): CredentialsReading {
  if (secret === undefined) return { problem: withheld ?? `Secret ${name} does not exist` };
  const { username, password, kg } = SECRET_KEYS;
  const values = {
    username: decode(secret.data?.[username]),
    password: decode(secret.data?.[password]),
    kg: decode(secret.data?.[kg]),
  };
  if (values.username === undefined) return { problem: `Secret ${name} has no ${username}` };
  if (values.password === undefined) return { problem: `Secret ${name} has no ${password}` };
  const { username: maxName, password: maxPassword } = isForIpmi ? IPMI_CREDENTIAL_LIMITS : ANY_LENGTH;
  if (values.username.length > maxName) return { problem: tooLong(name, username, maxName) };
  if (values.password.length > maxPassword) return { problem: tooLong(name, password, maxPassword) };
  if (values.kg !== undefined && values.kg.length > maxPassword) return { problem: tooLong(name, kg, maxPassword) };
  return {
    credentials: {
      username: values.username,
      password: values.password,
      ...(values.kg === undefined ? {} : { kg: values.kg }),
    },
  };
}

const ANY_LENGTH = { username: Infinity, password: Infinity };

function decode(value: string | undefined): Buffer | undefined {
  if (value === undefined || value === '') return undefined;
  // Not from the pool: such a small part would keep 64 KiB of the pool in memory.
  const bytes = Buffer.alloc(Buffer.byteLength(value, 'base64'));
  return bytes.subarray(0, bytes.write(value, 'base64'));
}

function tooLong(name: string, key: string, limit: number): string {
  return `the ${key} in Secret ${name} is over ${limit} bytes, the maximum of IPMI: shorten it`;
}
