import { describe, expect, it } from 'vitest';
import type { CdiConfig } from '../objects.ts';
import { overheadOf, requiredSpace, usableSpace } from './filesystem-space.ts';

const config: CdiConfig = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'CDIConfig',
  metadata: { name: 'config' },
  status: { filesystemOverhead: { global: '0.1', storageClass: { ceph: '0.02' } } },
};

describe('the filesystem of a volume', () => {
  it('takes the share of its storage class, else the share of all, else 5.5 %', () => {
    expect(overheadOf(config, 'ceph', 'Filesystem')).toBe(0.02);
    expect(overheadOf(config, 'other', 'Filesystem')).toBe(0.1);
    expect(overheadOf(undefined, undefined, 'Filesystem')).toBe(0.055);
  });

  it('is not there on a block device', () => {
    expect(overheadOf(config, 'ceph', 'Block')).toBe(0);
  });

  it('leaves room for an image that was asked for, in whole MiB', () => {
    const MEBIBYTE = 2 ** 20;
    for (const bytes of [1, MEBIBYTE, 100 * MEBIBYTE + 1, 12_345_678_901]) {
      const aligned = Math.ceil(bytes / MEBIBYTE) * MEBIBYTE;
      expect(usableSpace(requiredSpace(bytes, 0.055), 0.055)).toBe(aligned);
    }
  });

  it('is what CDI makes of it', () => {
    // CDI reported 6541017088 bytes for a claim of 6.45 GiB.
    expect(usableSpace(6_922_000_000, 0.055)).toBe(6_541_017_088);
  });
});
