import { describe, expect, it } from 'vitest';
import { decodeContinueToken, encodeContinueToken } from './continue-token.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a continue token', () => {
  it('says where a list goes on, and as of when', () => {
    const token = { revision: 7, start: 'ns/a\0' };
    expect(decodeContinueToken(encodeContinueToken(token))).toEqual(token);
  });

  it.each([
    ['x', 'illegal base64 data at input byte 0'],
    ['ab@d', 'illegal base64 data at input byte 2'],
    ['aGVsbG8', "invalid character 'h' looking for beginning of value"],
    ['', 'unexpected end of JSON input'],
    [encode([]), 'server does not recognize this encoded version '],
    [
      encode({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }),
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [encode({ v: 'meta.k8s.io/v1', rv: 1, start: '' }), 'encoded start key empty (version meta.k8s.io/v1)'],
  ])('%j is refused', (token, problem) => {
    const message = `invalid continue token: continue key is not valid: ${problem}`;
    expect(() => decodeContinueToken(token)).toThrow(expect.objectContaining({ code: 400, message }) as Error);
  });
});
