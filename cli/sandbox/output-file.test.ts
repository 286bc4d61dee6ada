import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutputFile, OutputFileError } from './output-file.ts';

describe('OutputFile', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-output-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const never = (): boolean => false;

  it('reports a missing folder before the start', async () => {
    const refusal = OutputFile.prepare(join(folder, 'none', 'f'), '--ready-file', never);
    await expect(refusal).rejects.toBeInstanceOf(OutputFileError);
  });

  it('is written atomically, readable only by its owner, and removed at the end', async () => {
    const file = await OutputFile.prepare(join(folder, 'f'), '--ready-file', never);
    await file.write('text');
    expect(readdirSync(folder)).toEqual(['f']);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    await file.remove();
    expect(readdirSync(folder)).toEqual([]);
  });
});
