import { describe, expect, it } from 'vitest';
import { codeList, hardwareAddress, ipv4Address, serverAddress } from './parse.ts';

describe('argument parsers', () => {
  it.each(['52:54:00:12:34:56', '52-54-00-12-34-56', '525400123456', '5254.0012.3456'])(
    'accept the MAC address %s',
    (text) => {
      expect(hardwareAddress(text)).toBe(0x525400123456);
    },
  );

  it('accept an IPv4 address', () => {
    expect(ipv4Address('10.0.0.1')).toBe(0x0a000001);
  });

  it('accept a server, with port 67 by default', () => {
    expect(serverAddress('10.0.0.1')).toEqual({ host: '10.0.0.1', port: 67 });
    expect(serverAddress('127.0.0.1:10067')).toEqual({ host: '127.0.0.1', port: 10_067 });
  });

  it('accept a list of option codes', () => {
    expect(codeList('1,3,254')).toEqual([1, 3, 254]);
  });
});

it.each<[string, (text: string) => unknown, string]>([
  ['a MAC', hardwareAddress, '52:54:00'],
  ['an address', ipv4Address, '10.0.0'],
  ['a server', serverAddress, 'example.org'],
  ['a server', serverAddress, '10.0.0.1:0'],
  ['a server', serverAddress, '10.0.0.1:65536'],
  ['a server', serverAddress, '10.0.0.1:67:68'],
  ['a code', codeList, '0'],
  ['a code', codeList, '1,,3'],
  ['a code', codeList, '255'],
])('describe the expected format for %s (%#)', (_, parse, text) => {
  expect(() => parse(text)).toThrow(/^Give .*such as/);
});
