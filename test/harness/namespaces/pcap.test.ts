import { describe, expect, it } from 'vitest';
import { readPcap } from './pcap.ts';

/** A capture of one frame: file header, record header and frame. */
function capture(frame: Buffer): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  const record = Buffer.alloc(16);
  [5, 250_000, frame.length, frame.length].forEach((value, index) => record.writeUInt32LE(value, index * 4));
  return Buffer.concat([header, record, frame]);
}

describe('readPcap', () => {
  it('reads frames and their times', () => {
    expect(readPcap(capture(Buffer.from('frame')))).toEqual([{ time: 5250, bytes: Buffer.from('frame') }]);
  });

  it('omits an incomplete frame at the end', () => {
    const whole = capture(Buffer.from('frame'));
    for (let length = 0; length < whole.length; length += 1) expect(readPcap(whole.subarray(0, length))).toEqual([]);
  });

  it('rejects other files', () => {
    expect(() => readPcap(Buffer.alloc(24))).toThrow('not a pcap file');
  });
});
