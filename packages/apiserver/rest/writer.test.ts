import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../json.ts';
import { CONFIG_MAPS, startTestServer, type TestServer } from '../testing/index.ts';
import { nameSuffix } from './writer.ts';

describe('a suffix', () => {
  it('has no vowels and no digits that look like them', () => {
    const chances = Array.from({ length: 27 }, (_, index) => index / 27);
    const letters = chances.map((chance) => nameSuffix(() => chance)[0]).join('');
    expect(letters).toBe('bcdfghjklmnpqrstvwxz2456789');
    expect(nameSuffix(() => 0.999_999)).toBe('99999');
  });
});

describe('a generated name', () => {
  let server: TestServer;
  const chances: number[] = [];
  beforeAll(async () => {
    server = await startTestServer({ random: () => chances.shift() ?? 0 });
  });
  afterAll(() => server.close());
  const generate = () => server.call('POST', CONFIG_MAPS, { metadata: { generateName: 'gen-' } });

  it('is generated again if it exists, up to eight times', async () => {
    expect(at((await generate()).body, 'metadata', 'name')).toBe('gen-bbbbb');
    chances.push(...Array.from({ length: 35 }, () => 0), 0.99, 0.99, 0.99, 0.99, 0.99);
    expect(at((await generate()).body, 'metadata', 'name')).toBe('gen-99999');
    expect(await generate()).toMatchObject({ status: 409, body: { reason: 'AlreadyExists' } });
  });
});
