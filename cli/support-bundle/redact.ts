import type { Secret } from '@groundcrew/controller-runtime';

export const REDACTED = '<redacted>';

/**
 * Minimum characters of a value that is searched for: a shorter one may be a word of the text. No part of the bundle shows a
 * field of a Secret, whatever its length.
 */
const MIN_LENGTH = 8;
/** Keys of Secrets whose values are not secret, or names. */
const PUBLIC_KEYS: ReadonlySet<string> = new Set(['username', 'accessKeyId', 'tls.crt', 'ca.crt', 'namespace']);
/** Fields of JSON in a Secret whose values are secret. */
const SECRET_FIELD = /pass|secret|token|key|auth|community/i;
/** Texts that are secret by their form. */
const FORMS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // A JSON Web Token, such as that of a service account.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, REDACTED],
  [/\b(authorization|x-auth-token)("?\s*[:=]\s*"?)(?:(?:basic|bearer)\s+)?[\w+/=.~-]{6,}/gi, `$1$2${REDACTED}`],
  // User and query of a URL: an image server's login, or the signature of a link.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^/@\s"']+@/gi, `$1${REDACTED}@`],
  [/\b(https?:\/\/[^\s"'?<>]+\?)[^\s"'<>]+/gi, `$1${REDACTED}`],
];

/** A function that replaces the values of these Secrets, further secret texts, and what has the form of a secret. */
export function redactor(secrets: readonly Secret[], further: readonly string[] = []): (text: string) => string {
  const values = new Set([...secrets.flatMap(valuesOf), ...further].flatMap(spellings));
  // The longest first: one value may begin with another.
  const sorted = [...values].filter(({ length }) => length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
  return (text) => {
    let result = text;
    for (const value of sorted) if (result.includes(value)) result = result.replaceAll(value, REDACTED);
    for (const [form, by] of FORMS) result = result.replace(form, by);
    return result;
  };
}

function valuesOf({ data = {}, type }: Secret): string[] {
  // A whole release of a chart, compressed.
  if (type === 'helm.sh/release.v1') return [];
  return Object.entries(data)
    .filter(([key]) => !PUBLIC_KEYS.has(key))
    .map(([, value]) => Buffer.from(value, 'base64').toString('utf8'))
    .flatMap((text) => jsonLeaves(text) ?? [text]);
}

/** The secret texts in a JSON document; undefined: the text is none. */
function jsonLeaves(text: string): string[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return leaves(JSON.parse(text), false);
  } catch {
    return undefined;
  }
}

function leaves(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return isSecret ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, isSecret || SECRET_FIELD.test(key)));
}

/** A secret as it may be spelt in a text: plain, in JSON, in base64, in a URL; of a key each line. */
function spellings(value: string): string[] {
  const lines = value.includes('\n')
    ? value.split(/\r?\n/).filter((line) => line.length >= 20 && !line.startsWith('---'))
    : [];
  const decoded = Buffer.from(value, 'base64');
  // Passwords in a BMC's state are in base64.
  const inner = decoded.toString('base64') === value ? [decoded.toString('utf8')] : [];
  const plain = [value.trim(), ...lines, ...inner];
  return plain.flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    Buffer.from(text).toString('base64'),
  ]);
}

/** Fields of a VM with the user's own script, which often has passwords. */
const SCRIPTS: ReadonlySet<string> = new Set(['userData', 'userDataBase64', 'networkData', 'networkDataBase64']);
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A copy of an object without the scripts of cloud-init, values of environment variables, and what only clients need. */
export function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => cleaned(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'managedFields' && key !== LAST_APPLIED)
      .map(([key, inner]) => [key, SCRIPTS.has(key) ? REDACTED : key === 'env' ? environment(inner) : cleaned(inner)]),
  );
}

function environment(value: unknown): unknown {
  if (!Array.isArray(value)) return cleaned(value);
  return value.map((one: unknown) =>
    typeof one === 'object' && one !== null && 'value' in one ? { ...one, value: REDACTED } : cleaned(one),
  );
}
