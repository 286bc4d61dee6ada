import { expect, it } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { startVirtualMachine } from './example.ts';

it('the example starts a VM', async () => {
  expect(await startVirtualMachine(silentLogger)).toBe('Running');
});
