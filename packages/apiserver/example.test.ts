import { expect, it } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { storeConfigMap } from './example.ts';

it('the example of the README reads what it has written', async () => {
  expect(await storeConfigMap(silentLogger)).toEqual({ hello: 'world' });
});
