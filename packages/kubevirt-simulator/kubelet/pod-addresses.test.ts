import { describe, expect, it } from 'vitest';
import { claimAddress, PodAddresses, type Claim } from './pod-addresses.ts';

const free = (): Promise<Claim> => Promise.resolve({ release: () => undefined });
const from = (start: number) => (size: number) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt16BE(start);
  return bytes;
};

describe('pod addresses', () => {
  it('are unique, from a random start', async () => {
    const addresses = new PodAddresses({ claim: free, random: from(0x0109) });
    expect([await addresses.allocate(), await addresses.allocate()]).toEqual(['127.64.1.10', '127.64.1.11']);
  });

  it('are not reused at once', async () => {
    const addresses = new PodAddresses({ claim: free, random: from(0) });
    addresses.release(await addresses.allocate());
    expect(await addresses.allocate()).toBe('127.64.0.2');
  });

  it('are skipped if another sandbox has them', async () => {
    const first = new PodAddresses({ claim: claimAddress, random: from(0xfff0) });
    const second = new PodAddresses({ claim: claimAddress, random: from(0xfff0) });
    const taken = await first.allocate();
    const next = await second.allocate();
    expect(next).not.toBe(taken);
    first.release(taken);
    second.release(next);
  });

  it('are all used before an error, except for the first and the last of the range', async () => {
    const addresses = new PodAddresses({ claim: free, random: from(0x8000) });
    const all = new Set<string>();
    for (let count = 0; count < 65_534; count += 1) all.add(await addresses.allocate());
    expect(all.size).toBe(65_534);
    expect(all.has('127.64.0.0') || all.has('127.64.255.255')).toBe(false);
    await expect(addresses.allocate()).rejects.toThrow(RangeError);
    addresses.release('127.64.9.9');
    expect(await addresses.allocate()).toBe('127.64.9.9');
  });
});
