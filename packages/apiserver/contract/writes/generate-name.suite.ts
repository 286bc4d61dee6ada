import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { subjects, make, get } = writeScene(harness);

const SUFFIX = /[bcdfghjklmnpqrstvwxz2456789]{5}/;

describe.each(subjects)('a generated name of %s', (_what, kind) => {
  const generated = async (generateName: string) =>
    (await make(kind.path(), kind.object(undefined, undefined, { generateName }))).metadata;

  it('is the prefix and five characters that make no words', async () => {
    const metadata = await generated('made-');
    expect(metadata.name).toMatch(new RegExp(`^made-${SUFFIX.source}$`));
    expect(metadata['generateName']).toBe('made-');
    expect((await get(kind.path(metadata.name))).metadata).toEqual(metadata);
  });

  it('differs from the next', async () => {
    const names = new Set<string>();
    for (let made = 0; made < 5; made += 1) names.add((await generated('many-')).name);
    expect(names.size).toBe(5);
  });

  it('is cut to the length of a DNS label', async () => {
    const { name } = await generated('p'.repeat(70));
    expect(name).toMatch(new RegExp(`^p{58}${SUFFIX.source}$`));
  });

  it('gives way to a name that is given', async () => {
    const { metadata } = await make(kind.path(), kind.object('given', undefined, { generateName: 'made-' }));
    expect(metadata).toMatchObject({ name: 'given', generateName: 'made-' });
  });

  it('is made up for a dry run as well', async () => {
    const body = kind.object(undefined, undefined, { generateName: 'dry-' });
    const { status, body: made } = await http('POST', kind.path(undefined, '?dryRun=All'), { body });
    expect(status).toBe(201);
    const { name } = (made as { metadata: { name: string } }).metadata;
    expect(name).toMatch(new RegExp(`^dry-${SUFFIX.source}$`));
    expect((await http('GET', kind.path(name))).status).toBe(404);
  });

  it('must be one that its kind may have', async () => {
    const body = kind.object(undefined, undefined, { generateName: 'A_' });
    const answer = await http('POST', kind.path(), { body });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    const { details } = answer.body as { details: { causes: { field: string }[] } };
    expect(new Set(details.causes.map(({ field }) => field))).toEqual(
      new Set(['metadata.generateName', 'metadata.name']),
    );
  });
});
