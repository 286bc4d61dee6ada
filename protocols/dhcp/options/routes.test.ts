import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ip } from '../testing/test-network.ts';
import { decodeClasslessRoutes, decodeStaticRoutes, encodeClasslessRoutes, encodeStaticRoutes } from './routes.ts';

const gateway = ip('10.0.0.1');

describe('classless routes', () => {
  // The table of RFC 3442.
  it.each<[string, string, number]>([
    ['00', '0.0.0.0', 0],
    ['080a', '10.0.0.0', 8],
    ['180a0000', '10.0.0.0', 24],
    ['100a11', '10.17.0.0', 16],
    ['180a1b81', '10.27.129.0', 24],
    ['190a7b8100', '10.123.129.0', 25],
    ['190a7b8180', '10.123.129.128', 25],
    ['200a7b8145', '10.123.129.69', 32],
  ])('%s encodes the destination %s/%i', (hex, destination, prefix) => {
    const route = { destination: ip(destination), prefix, gateway };
    expect(Buffer.from(encodeClasslessRoutes([route])).toString('hex')).toBe(`${hex}0a000001`);
    expect(decodeClasslessRoutes(Buffer.from(`${hex}0a000001`, 'hex'))).toEqual([route]);
  });

  it('encode and decode', () => {
    const route = fc
      .record({ address: fc.nat(0xffffffff), prefix: fc.nat(32), gateway: fc.nat(0xffffffff) })
      .map(({ address, prefix, gateway }) => ({
        destination: address - (address % 2 ** (32 - prefix)),
        prefix,
        gateway,
      }));
    fc.assert(
      fc.property(fc.array(route, { maxLength: 40 }), (routes) => {
        expect(decodeClasslessRoutes(encodeClasslessRoutes(routes))).toEqual(routes);
      }),
    );
  });

  it('clear the bits beyond the prefix', () => {
    const routes = [{ destination: ip('10.1.2.3'), prefix: 12, gateway }];
    expect(Buffer.from(encodeClasslessRoutes(routes)).toString('hex')).toBe('0c0a000a000001');
    expect(decodeClasslessRoutes(Buffer.from('0c0aff0a000001', 'hex'))).toEqual([
      { destination: ip('10.240.0.0'), prefix: 12, gateway },
    ]);
  });

  it.each([
    ['21', 'a prefix of 33'],
    ['080a0a0000', 'a gateway of three bytes'],
    ['18', 'no destination'],
    ['ff', 'a prefix of 255'],
  ])('reject %s: %s', (hex) => {
    expect(decodeClasslessRoutes(Buffer.from(hex, 'hex'))).toBeUndefined();
  });

  it('accept an empty list', () => {
    expect(decodeClasslessRoutes(Buffer.alloc(0))).toEqual([]);
  });
});

const routes = [
  { destination: 0x0a000001, gateway: 0x0a000002 },
  { destination: 0x0b000001, gateway: 0x0b000002 },
];

it('static routes: encode and decode', () => {
  expect(Buffer.from(encodeStaticRoutes(routes)).toString('hex')).toBe('0a0000010a0000020b0000010b000002');
  expect(decodeStaticRoutes(encodeStaticRoutes(routes))).toEqual(routes);
  expect(decodeStaticRoutes(Buffer.alloc(0))).toEqual([]);
});

it.each([4, 7, 12])('static routes: reject %i bytes', (length) => {
  expect(decodeStaticRoutes(new Uint8Array(length))).toBeUndefined();
});
