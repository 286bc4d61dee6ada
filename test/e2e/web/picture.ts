import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { repository } from '../../harness/repository.ts';
import { findTool, howToInstall } from '../../tools/index.ts';

/** Pixels. */
const SIZE = { width: 1280, height: 800 };
/** Bytes of a file. */
const MOST = 120_000;
/** Rows of pixels that differ in a page with some text. */
const LEAST_ROWS = 50;

/**
 * Takes a picture of the page, 1,280 pixels wide, which must not be blank. With `UPDATE_PICTURES=1` it becomes
 * `docs/images/<name>.png`.
 */
export async function picture(page: Page, name: string): Promise<void> {
  await page.setViewportSize(SIZE);
  const notices = page.locator('.notices button');
  while ((await notices.count()) > 0) await notices.first().click();
  await page.mouse.move(0, 0);
  const taken = await page.screenshot({ animations: 'disabled' });
  expect(differentRows(taken), `rows of the picture ${name}`).toBeGreaterThan(LEAST_ROWS);
  if (process.env['UPDATE_PICTURES'] !== '1') return;
  const small = optimised(taken);
  expect(small.length, `bytes of the picture ${name}`).toBeLessThan(MOST);
  const folder = join(repository, 'docs/images');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), small);
}

function optimised(png: Buffer): Buffer {
  const program = findTool('pngquant');
  if (program === undefined) throw new Error(`there is no pngquant: ${howToInstall('pngquant')}`);
  return execFileSync(program, ['--speed', '1', '--strip', '-'], { input: png });
}

/** The number of different rows of a PNG file that is not interlaced (ISO/IEC 15948). A blank page has a few. */
function differentRows(png: Buffer): number {
  const data: Buffer[] = [];
  // A chunk is its length, its type, its data and a checksum.
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const rows = inflateSync(Buffer.concat(data));
  const height = png.readUInt32BE(20);
  const length = rows.length / height;
  return new Set(Array.from({ length: height }, (_, y) => rows.toString('latin1', y * length, (y + 1) * length))).size;
}
