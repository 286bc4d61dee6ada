import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { at, isObject, type JsonObject, parseJson } from '../json.ts';
import type { User } from './user.ts';

export interface ServiceAccountClaims {
  namespace: string;
  name: string;
  uid: string;
  audiences: string[];
  seconds: number;
  /** The object that the token dies with. */
  boundObject?: { kind: string; name: string; uid: string };
}

export interface TokensOptions {
  now: () => number;
  issuer: string;
  /** Whether the object that a token speaks of is still there. */
  exists: (kind: 'ServiceAccount' | 'Pod' | 'Secret' | 'Node', namespace: string, name: string, uid: string) => boolean;
}

/** Makes and checks bearer tokens: one of the administrator, and JWTs of service accounts. */
export class Tokens {
  readonly admin = randomBytes(32).toString('base64url');
  readonly #key = randomBytes(32);
  readonly #options: TokensOptions;

  constructor(options: TokensOptions) {
    this.#options = options;
  }

  issue({ namespace, name, uid, audiences, seconds, boundObject }: ServiceAccountClaims): {
    token: string;
    expires: number;
  } {
    const now = Math.floor(this.#options.now() / 1000);
    const bound =
      boundObject === undefined
        ? {}
        : { [boundObject.kind.toLowerCase()]: { name: boundObject.name, uid: boundObject.uid } };
    const claims = {
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: this.#options.issuer,
      jti: randomUUID(),
      'kubernetes.io': { namespace, serviceaccount: { name, uid }, ...bound },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const payload = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`;
    return { token: `${payload}.${this.#sign(payload).toString('base64url')}`, expires: (now + seconds) * 1000 };
  }

  /** Whom the token belongs to, or undefined where it is not good. */
  authenticate(token: string): User | undefined {
    if (sameSecret(token, this.admin))
      return { name: 'sandbox-admin', groups: ['system:masters', 'system:authenticated'] };
    const [header = '', payload = '', signature = '', ...rest] = token.split('.');
    if (rest.length > 0 || signature === '') return undefined;
    const given = Buffer.from(signature, 'base64url');
    const wanted = this.#sign(`${header}.${payload}`);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
    return isObject(claims) ? this.#userOf(claims) : undefined;
  }

  #userOf(claims: JsonObject): User | undefined {
    const now = this.#options.now() / 1000;
    if (typeof claims['exp'] !== 'number' || claims['exp'] < now) return undefined;
    if (!Array.isArray(claims['aud']) || !claims['aud'].includes(this.#options.issuer)) return undefined;
    // The server signed the claims itself: their form is known.
    const { namespace, serviceaccount, ...bound } = claims['kubernetes.io'] as unknown as {
      namespace: string;
      serviceaccount: { name: string; uid: string };
    };
    if (!this.#options.exists('ServiceAccount', namespace, serviceaccount.name, serviceaccount.uid)) return undefined;
    for (const kind of ['Pod', 'Secret', 'Node'] as const) {
      const name = at(bound, kind.toLowerCase(), 'name');
      const uid = at(bound, kind.toLowerCase(), 'uid');
      if (typeof name === 'string' && typeof uid === 'string' && !this.#options.exists(kind, namespace, name, uid))
        return undefined;
    }
    return {
      name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
      uid: serviceaccount.uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    };
  }

  #sign(payload: string): Buffer {
    return createHmac('sha256', this.#key).update(payload).digest();
  }
}

function encoded(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Compares in a time that tells nothing of where two secrets differ. */
function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
