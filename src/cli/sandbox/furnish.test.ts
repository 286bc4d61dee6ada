import { expect, it } from 'vitest';
import { contradictions } from './furnish.ts';
import type { SandboxOptions } from './options.ts';

const options: SandboxOptions = {
  vms: 5,
  ipmiPort: 6230,
  apiPort: 0,
  filename: [],
  bootTime: 1000,
  logLevel: 'warn',
  logFormat: 'text',
};
const origin = { vms: 2, ipmiPort: 6230, manifests: [] };

it('options that were given and contradict what the sandbox was made with are named; others are not', () => {
  const all = (): boolean => true;
  expect(contradictions(options, all, origin)).toEqual([
    '--vms 5 has no effect: this sandbox was made with --vms 2, and is as it was left.',
  ]);
  expect(contradictions(options, () => false, origin)).toEqual([]);
  expect(contradictions(options, all, undefined)).toEqual([]);
});
