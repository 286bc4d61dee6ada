import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generatedFiles } from '../../../scripts/generated-files.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { CUSTOM_RESOURCES } from './custom-resources.ts';

const root = new URL('../../../', import.meta.url);

describe('the generated files', () => {
  it.each(Object.entries(generatedFiles()))('have %s as it would be made now', async (path, content) => {
    const there = await readFile(new URL(path, root), 'utf8').catch(() => '');
    expect(there === content, `${path} is stale: run npm run generate`).toBe(true);
  });

  it('mean the same to a YAML 1.1 parser, for which a bare On is true', () => {
    const crds = Object.entries(generatedFiles()).filter(([path]) => path.endsWith('.yaml'));
    const read = crds.map(([, content]) => parse(content, { version: '1.1' }) as unknown);
    expect(read).toEqual(CUSTOM_RESOURCES.map(customResourceDefinition));
  });
});
