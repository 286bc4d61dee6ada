import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { screenPng } from './screen.ts';

it('a screen is a PNG of 720 × 400 pixels, black but for a cursor', () => {
  const png = screenPng();
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  expect(png.subarray(12, 16).toString('latin1')).toBe('IHDR');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([720, 400]);
  const at = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  expect(rows).toHaveLength(400 * 91);
  expect(rows.filter((byte) => byte !== 0)).toHaveLength(2);
});
