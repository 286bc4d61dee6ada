import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { arrayOr, at, isObject, parseJson, textOr, type JsonObject } from './json.ts';

/** The user of a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** The user as an authentication.k8s.io/v1 UserInfo. */
export function userInfo({ name, uid, groups }: User): JsonObject {
  return { username: name, ...(uid === undefined ? {} : { uid }), groups: [...groups] };
}

export interface ServiceAccountClaims {
  namespace: string;
  name: string;
  uid: string;
  audiences: string[];
  seconds: number;
  /** The token becomes invalid when this object is deleted. */
  boundObject?: { kind: string; name: string; uid: string };
}

export interface TokensOptions {
  now: () => number;
  issuer: string;
  /** The administrator's token. */
  admin: string;
  /** The key that signs the service account tokens, base64. */
  key: string;
  /** Whether the service account or the bound object of a token still exists. */
  exists: (kind: 'ServiceAccount' | 'Pod' | 'Secret' | 'Node', namespace: string, name: string, uid: string) => boolean;
}

const ADMIN: User = { name: 'sandbox-admin', groups: ['system:masters', 'system:authenticated'] };

/** Most tokens whose signature is not computed again. */
const MOST_KNOWN = 4096;

/** Issues and verifies bearer tokens: the administrator's token, and JWTs of service accounts. */
export class Tokens {
  readonly #key: Buffer;
  readonly #options: TokensOptions;
  /** The signed content of tokens that were verified; whether they are still valid is checked each time. */
  readonly #known = new Map<string, JsonObject | 'admin'>();

  constructor(options: TokensOptions) {
    this.#options = options;
    this.#key = Buffer.from(options.key, 'base64');
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

  /** The user of a token; undefined if the token is not valid. */
  authenticate(token: string): User | undefined {
    return this.review(token, [])?.user;
  }

  /**
   * Verifies a token, as TokenReview does.
   *
   * @param audiences the accepted audiences; if empty, the issuer's
   * @returns the user and the accepted audiences of the token; undefined if the token is not valid for any of them
   */
  review(token: string, audiences: readonly string[]): { user: User; audiences: string[] } | undefined {
    const wanted = audiences.length === 0 ? [this.#options.issuer] : audiences;
    const claims = this.#claimsOf(token);
    const user = claims === 'admin' ? ADMIN : claims === undefined ? undefined : this.#userOf(claims);
    const own =
      claims === 'admin' || claims === undefined ? [this.#options.issuer] : arrayOr(claims['aud']).map(textOr);
    const good = wanted.filter((audience) => own.includes(audience));
    return user === undefined || good.length === 0 ? undefined : { user, audiences: good };
  }

  /** The claims of a token; undefined if this server did not sign it. */
  #claimsOf(token: string): JsonObject | 'admin' | undefined {
    const known = this.#known.get(token);
    if (known !== undefined) return known;
    const claims = this.#verify(token);
    if (claims === undefined) return undefined;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(token, claims);
    return claims;
  }

  #verify(token: string): JsonObject | 'admin' | undefined {
    if (sameSecret(token, this.#options.admin)) return 'admin';
    const [header = '', payload = '', signature = '', ...rest] = token.split('.');
    if (rest.length > 0 || signature === '') return undefined;
    const given = Buffer.from(signature, 'base64url');
    const wanted = this.#sign(`${header}.${payload}`);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
    return isObject(claims) ? claims : undefined;
  }

  #userOf(claims: JsonObject): User | undefined {
    const now = this.#options.now() / 1000;
    if (typeof claims['exp'] !== 'number' || claims['exp'] < now) return undefined;
    // The cast is safe: this server signed the claims.
    const { namespace, serviceaccount, ...bound } = claims['kubernetes.io'] as unknown as {
      namespace: string;
      serviceaccount: { name: string; uid: string };
    } & JsonObject;
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

/** Compares two secrets in constant time. */
function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
