import { describe, expect, it } from 'vitest';
import { decodeContinueToken, encodeContinueToken } from './lister.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a continue token', () => {
  it('says where a list goes on, and as of when', () => {
    const token = { revision: 7, start: 'ns/a\0' };
    expect(decodeContinueToken(encodeContinueToken(token))).toEqual(token);
  });

  it.each([
    'x',
    'ab@d',
    'aGVsbG8',
    '',
    encode([]),
    encode({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }),
    encode({ v: 'meta.k8s.io/v1', rv: 1, start: '' }),
  ])('%j is refused', (token) => {
    expect(() => decodeContinueToken(token)).toThrow(expect.objectContaining({ code: 400 }) as Error);
  });
});
