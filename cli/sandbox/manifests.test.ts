import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readManifests } from './manifests.ts';

describe('readManifests', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-manifests-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function file(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
  const namesIn = async (...files: string[]): Promise<string[]> =>
    (await readManifests(files)).map(({ object }) => object.metadata.name);

  it('reads several documents in one file, in order', async () => {
    expect(await namesIn(file('f.yaml', `${configMap('a')}---\n${configMap('b')}---\n`))).toEqual(['a', 'b']);
  });

  it('expands lists and reads JSON', async () => {
    const items = [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }];
    expect(await namesIn(file('f.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items })))).toEqual(['a']);
  });

  it('reads the manifests in a folder in name order, and no other files', async () => {
    file('2.yml', configMap('b'));
    file('1.yaml', configMap('a'));
    file('README.md', 'text');
    expect(await namesIn(folder)).toEqual(['a', 'b']);
  });

  it.each([
    ['a: [', /error parsing .*f\.yaml/],
    ['text', /a manifest is an object/],
    ['apiVersion: v1', /kind not set/],
    ['apiVersion: v1\nkind: Secret', /resource name may not be empty/],
  ])('reports what is wrong with %j', async (text, message) => {
    await expect(readManifests([file('f.yaml', text)])).rejects.toThrow(message);
  });

  it('reports a missing file as kubectl does', async () => {
    await expect(readManifests(['/nonexistent.yaml'])).rejects.toThrow('the path "/nonexistent.yaml" does not exist');
  });
});
