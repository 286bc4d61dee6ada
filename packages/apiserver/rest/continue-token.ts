import { isObject, parseJson, type Json } from '../json.ts';
import { badRequest } from '../status.ts';

const VERSION = 'meta.k8s.io/v1';

/** Where the next page of a list begins. */
export interface ContinueToken {
  /** The revision that all pages show; negative for the newest, whatever the pages before have shown. */
  readonly revision: number;
  /** The first key that may be on the page. */
  readonly start: string;
}

/** Opaque to clients; in the form of kube-apiserver's, so that what is wrong with one is told in the same words. */
export function encodeContinueToken({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start })).toString('base64url');
}

/** Throws 400. */
export function decodeContinueToken(token: string): ContinueToken {
  const value = parse(token);
  if (!isObject(value) || value['v'] !== VERSION) {
    const version = isObject(value) && typeof value['v'] === 'string' ? value['v'] : '';
    throw notValid(`server does not recognize this encoded version ${version}`);
  }
  const { rv, start } = value;
  if (typeof rv !== 'number' || rv === 0)
    throw notValid(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (typeof start !== 'string' || start === '') throw notValid(`encoded start key empty (version ${VERSION})`);
  return { revision: rv, start };
}

function parse(token: string): Json {
  const wrong = /[^A-Za-z0-9_-]/.exec(token)?.index ?? (token.length % 4 === 1 ? token.length - 1 : undefined);
  if (wrong !== undefined) throw notValid(`illegal base64 data at input byte ${wrong}`);
  const text = Buffer.from(token, 'base64url').toString('utf8');
  try {
    return parseJson(text);
  } catch {
    const [first = ''] = text;
    throw notValid(
      first === '' ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`,
    );
  }
}

function notValid(problem: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${problem}`);
}
