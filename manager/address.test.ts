import { describe, expect, it } from 'vitest';
import { AddressError, parseAddress } from './address.ts';

describe('an address on the command line', () => {
  it.each([
    ['127.0.0.1:8081', { host: '127.0.0.1', port: 8081 }],
    ['[::1]:8081', { host: '::1', port: 8081 }],
    [':8081', { host: '', port: 8081 }],
    ['', undefined],
    ['0', undefined],
  ])('reads %j', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it.each(['8081', 'host', '::1:8081', 'host:99999', 'host:'])('rejects %j and names the expected form', (text) => {
    expect(() => parseAddress(text)).toThrow(AddressError);
    expect(() => parseAddress(text)).toThrow('write host:port');
  });
});
