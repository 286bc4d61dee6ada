import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serviceAccountConfig } from './service-account.ts';

it('puts an IPv6 address of the API server in brackets and reads the files that kubelet mounts', () => {
  const directory = mkdtempSync(join(tmpdir(), 'service-account-'));
  try {
    for (const file of ['ca.crt', 'namespace', 'token']) writeFileSync(join(directory, file), `${file}\n`);
    const { server, ca, namespace, token } = serviceAccountConfig({ host: 'fd00::1', port: 443, directory });
    expect([server, ca, namespace, token()]).toEqual(['https://[fd00::1]:443', 'ca.crt\n', 'namespace', 'token']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
