import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIpv4, overlap, parseIpv4, parseIpv4Cidr, parseIpv4Network, parseIpv4Range } from './ipv4.ts';

describe('IPv4 addresses', () => {
  it('are parsed and formatted', () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        const address = parseIpv4(text);
        expect(address === undefined ? undefined : formatIpv4(address)).toBe(text);
      }),
    );
  });

  it.each(['', '1.2.3', '1.2.3.4.5', '1.2.3.256', '01.2.3.4', '1.2.3.4 ', '0x1.2.3.4', '::1', '1.2.3.1000'])(
    '%j is invalid',
    (text) => {
      expect(parseIpv4(text)).toBeUndefined();
    },
  );
});

describe('IPv4 networks and ranges', () => {
  it('a network drops the bits beyond its prefix', () => {
    expect(parseIpv4Cidr('10.0.0.77/24')).toEqual({ first: 0x0a_00_00_00, last: 0x0a_00_00_ff, prefix: 24 });
    expect(parseIpv4Cidr('255.255.255.255/0')).toEqual({ first: 0, last: 0xff_ff_ff_ff, prefix: 0 });
    expect(parseIpv4Cidr('10.0.0.1/32')).toEqual({ first: 0x0a_00_00_01, last: 0x0a_00_00_01, prefix: 32 });
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/024', '10.0.0/24'])('%j is not a network', (text) => {
    expect(parseIpv4Cidr(text)).toBeUndefined();
  });

  it('an address is a network of one', () => {
    expect(parseIpv4Network('10.0.0.1')).toEqual(parseIpv4Cidr('10.0.0.1/32'));
    expect(parseIpv4Network('10.0.0.1/24')).toEqual(parseIpv4Cidr('10.0.0.0/24'));
    expect(parseIpv4Network('10.0.0')).toBeUndefined();
  });

  it('a range is an address, two addresses or a network', () => {
    expect(parseIpv4Range('10.0.0.5')).toEqual({ first: 0x0a_00_00_05, last: 0x0a_00_00_05 });
    expect(parseIpv4Range('10.0.0.5-10.0.0.9')).toEqual({ first: 0x0a_00_00_05, last: 0x0a_00_00_09 });
    expect(parseIpv4Range('10.0.0.8/29')).toMatchObject({ first: 0x0a_00_00_08, last: 0x0a_00_00_0f });
  });

  it.each(['10.0.0.9-10.0.0.5', '10.0.0.5-', '-10.0.0.5', '10.0.0.5-10.0.0.9-10.0.0.12', 'all'])(
    '%j is not a range',
    (text) => {
      expect(parseIpv4Range(text)).toBeUndefined();
    },
  );

  it('ranges that share an address overlap', () => {
    expect(overlap({ first: 1, last: 5 }, { first: 5, last: 9 })).toBe(true);
    expect(overlap({ first: 1, last: 5 }, { first: 6, last: 9 })).toBe(false);
  });
});
