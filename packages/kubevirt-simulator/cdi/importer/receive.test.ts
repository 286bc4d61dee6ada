import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { systemClock } from '@groundcrew/controller-runtime';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { receive, type ReceiveOptions } from './receive.ts';

const MEBIBYTE = 2 ** 20;

function read(body: Readable, options: Partial<ReceiveOptions> = {}) {
  return receive(body, {
    url: new URL('http://files.example/a.iso'),
    total: undefined,
    available: MEBIBYTE,
    checksum: undefined,
    idleTimeout: 10_000,
    clock: systemClock,
    onBytes: () => undefined,
    ...options,
  });
}

/** In parts of this many bytes, so that headers are cut in two. */
function inParts(data: Buffer, size = 7): Readable {
  const parts = Array.from({ length: Math.ceil(data.length / size) }, (_, at) =>
    data.subarray(at * size, (at + 1) * size),
  );
  return Readable.from(parts, { objectMode: false });
}

function qcow2(virtualSize: number): Buffer {
  const image = Buffer.alloc(104);
  image.write('QFI\xfb', 'latin1');
  image.writeUInt32BE(3, 4);
  image.writeBigUInt64BE(BigInt(virtualSize), 24);
  return image;
}

describe('an image that comes in', () => {
  it('is counted and hashed', async () => {
    const image = Buffer.alloc(1000, 'iso');
    const seen: number[] = [];
    const received = await read(inParts(image, 300), { total: 1000, onBytes: (bytes) => seen.push(bytes) });
    expect(received).toEqual({ bytes: 1000, sha256: createHash('sha256').update(image).digest('hex') });
    expect(seen.at(-1)).toBe(1000);
  });

  it('may be empty, and shorter than any header', async () => {
    await expect(read(Readable.from([]))).resolves.toMatchObject({ bytes: 0 });
    await expect(read(inParts(Buffer.from('ab')))).resolves.toMatchObject({ bytes: 2 });
  });

  it.each([
    [
      'by what the server says',
      Buffer.alloc(100),
      2 * MEBIBYTE,
      `virtual image size ${2 * MEBIBYTE} is larger than the reported available storage ${MEBIBYTE}. A larger PVC is required`,
    ],
    ['by what comes', Buffer.alloc(MEBIBYTE + 1), undefined, 'no space left on device'],
    ['by what its header says', qcow2(10 * MEBIBYTE), 104, `virtual image size ${10 * MEBIBYTE} is larger than`],
    ['by what it unpacks to', gzipSync(Buffer.alloc(2 * MEBIBYTE)), undefined, 'no space left on device'],
  ])('is too large %s', async (_how, data, total, message) => {
    await expect(read(inParts(data, 65_536), { total })).rejects.toThrow(message);
  });

  it('fits when it unpacks to what there is room for', async () => {
    await expect(read(inParts(gzipSync(Buffer.alloc(MEBIBYTE))))).resolves.toMatchObject({});
    await expect(read(inParts(qcow2(MEBIBYTE)))).resolves.toMatchObject({ bytes: 104 });
  });

  it('is not read where it is packed otherwise, or badly', async () => {
    const xz = Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), Buffer.alloc(50)]);
    await expect(read(inParts(xz))).rejects.toThrow('reads raw, qcow2 and gzip images, and no xz');
    const broken = Buffer.concat([gzipSync(Buffer.alloc(1000)).subarray(0, 20), Buffer.alloc(50, 0xff)]);
    await expect(read(inParts(broken))).rejects.toMatchObject({ code: 'TransferFailed' });
    await expect(read(inParts(gzipSync(Buffer.alloc(1000)).subarray(0, 20)))).rejects.toThrow('gzip: unexpected end');
  });

  it('must be whole', async () => {
    await expect(read(inParts(Buffer.alloc(99)), { total: 100 })).rejects.toThrow('unexpected EOF');
    const broken = Readable.from(
      (function* () {
        yield Buffer.alloc(10);
        throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
      })(),
    );
    await expect(read(broken)).rejects.toThrow('unexpected EOF');
  });

  it('has the checksum that it is to have', async () => {
    const image = Buffer.from('an image');
    const digest = createHash('sha1').update(image).digest('hex');
    await expect(read(inParts(image), { checksum: `sha1:${digest}` })).resolves.toMatchObject({ bytes: 8 });
    await expect(read(inParts(image), { checksum: `sha1:${'0'.repeat(40)}` })).rejects.toThrow(
      `checksum mismatch: expected sha1:${'0'.repeat(40)}, calculated sha1:${digest}`,
    );
    await expect(read(inParts(image), { checksum: 'crc32:00' })).rejects.toThrow('unsupported hash algorithm: crc32');
    await expect(read(inParts(image), { checksum: 'md5:00' })).rejects.toThrow('invalid md5 checksum');
  });

  it('is given up when nothing comes for too long', async () => {
    const clock = new FakeClock();
    const body = new Readable({ read: () => undefined });
    const given = expect(read(body, { clock, idleTimeout: 600_000 })).rejects.toThrow('context canceled');
    body.push(Buffer.alloc(10));
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(599_999);
    expect(body.destroyed).toBe(false);
    await clock.advance(600_000);
    await given;
    expect(body.destroyed).toBe(true);
  });
});
