import { expect, it } from 'vitest';
import { decodeStaticRoutes, encodeStaticRoutes } from './static-routes.ts';

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
