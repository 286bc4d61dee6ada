import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { pictureOf, pngOf, TextScreen } from './index.ts';

it('the picture of a text has its glyphs, colours and cursor', () => {
  const screen = new TextScreen();
  screen.write('\x1b[32mA');
  const { width, height, pixels } = pictureOf(screen);
  expect([width, height]).toEqual([640, 400]);
  const rows = Array.from({ length: 16 }, (_, y) => {
    const row = pixels.subarray(y * width, y * width + 16);
    return Array.from(row, (index) => (index === 0 ? '.' : index.toString(16))).join('');
  });
  expect(rows).toEqual(A_AND_CURSOR);
});

/** In green (2) and grey (7). */
const A_AND_CURSOR = `
................
................
...22...........
..2222..........
.22..22.........
.22..22.........
.22..22.........
.222222.........
.22..22.........
.22..22.........
.22..22.........
.22..22.........
.22..22.........
........77777777
........77777777
................`
  .trimStart()
  .split('\n');

it('its PNG file has the same pixels', () => {
  const screen = new TextScreen();
  screen.write('text');
  const picture = pictureOf(screen);
  const file = pngOf(picture);
  expect(file.toString('latin1', 1, 4)).toBe('PNG');
  const data = file.indexOf('IDAT');
  const rows = inflateSync(file.subarray(data + 4, data + 4 + file.readUInt32BE(data - 4)));
  const pixels = Array.from({ length: picture.height }, (_, y) => rows.subarray(y * 641 + 1, (y + 1) * 641));
  expect(Buffer.concat(pixels).equals(picture.pixels)).toBe(true);
});
