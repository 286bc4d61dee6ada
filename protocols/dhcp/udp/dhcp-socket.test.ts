import { describe, expect, it } from 'vitest';
import { SendBuffers } from './dhcp-socket.ts';

describe('SendBuffers', () => {
  it('keeps a datagram while 255 others follow', () => {
    const buffers = new SendBuffers();
    const written = new Uint8Array(300);
    const copies = Array.from({ length: 256 }, (_, index) => {
      written.fill(index);
      return buffers.copy(written, index);
    });
    expect(copies.map((copy) => copy?.length)).toEqual(copies.map(() => 300));
    expect(copies.map((copy) => copy?.[299])).toEqual(copies.map((_, index) => index));
  });

  it('is full while 256 datagrams wait', () => {
    expect(new SendBuffers().copy(Buffer.alloc(300), 256)).toBeUndefined();
  });

  it('accepts a datagram longer than a frame', () => {
    const written = Buffer.alloc(4000, 7);
    const copy = new SendBuffers().copy(written, 0);
    written.fill(0);
    expect(copy).toEqual(new Uint8Array(4000).fill(7));
  });
});
