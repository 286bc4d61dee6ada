import { describe, expect, it } from 'vitest';
import { translateMounts } from './volumes.ts';

describe('a path of a mount', () => {
  const container = { name: 'c', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const volumes = new Map([['data', '/pods/u1/volumes/data']]);

  it.each([
    ['/data', '/pods/u1/volumes/data'],
    ['/data/leases', '/pods/u1/volumes/data/leases'],
    ['--dir=/data/leases', '--dir=/pods/u1/volumes/data/leases'],
    ['/database', '/database'],
    ['/var/data', '/var/data'],
    ['--flag', '--flag'],
  ])('%s', (text, expected) => {
    expect(translateMounts(text, container, volumes)).toBe(expected);
  });
});
