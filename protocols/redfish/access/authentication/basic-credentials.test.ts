import { describe, expect, it } from 'vitest';
import { basicCredentials } from './basic-credentials.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

describe('the Basic scheme', () => {
  it.each([
    ['user:secret', 'user', 'secret'],
    ['user:se:cret', 'user', 'se:cret'],
    ['user:', 'user', ''],
    [':secret', '', 'secret'],
    ['jürgen:größe', 'jürgen', 'größe'],
  ])('reads %s', (text, userName, password) => {
    expect(basicCredentials(`Basic ${encoded(text)}`)).toEqual({ userName, password: Buffer.from(password) });
  });

  it('is recognized in upper and lower case', () => {
    expect(basicCredentials(`basic  ${encoded('a:b')} `)).toMatchObject({ userName: 'a' });
  });

  it.each([
    '',
    'Basic',
    'Basic ',
    'Basic !!!',
    `Basic ${encoded('nocolon')}`,
    `Bearer ${encoded('a:b')}`,
    'Digest a="b"',
  ])('yields no credentials for %s', (header) => {
    expect(basicCredentials(header)).toBeUndefined();
  });
});
