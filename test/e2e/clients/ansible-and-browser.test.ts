import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import { findTool, needs } from '../../tools/index.ts';
import { startClientStage, type ClientStage } from './client-stage.ts';
import { type ProgramOutcome, runProgram } from './run-program.ts';

/** Ansible modules and a browser; both verify the certificate. */

const MINUTE = 60_000;

let stage: ClientStage;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'groundcrew-clients-'));
  stage = await startClientStage();
}, 2 * MINUTE);

afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});

describe('Chromium', needs('chromium', 'certutil'), () => {
  const FLAGS = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--dump-dom'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ];

  async function open(home: string): Promise<ProgramOutcome> {
    const args = [...FLAGS, `--user-data-dir=${join(home, 'data')}`, `${stage.bmc.redfish}/redfish/v1/`];
    return await runProgram(findTool('chromium') ?? '', args, { HOME: home });
  }

  it('shows the service root if it trusts the CA', async () => {
    const home = join(folder, 'trusting');
    const database = join(home, '.pki/nssdb');
    mkdirSync(database, { recursive: true });
    const certutil = (...words: string[]) =>
      execFileSync(findTool('certutil') ?? '', ['-d', `sql:${database}`, ...words]);
    certutil('-N', '--empty-password');
    certutil('-A', '-t', 'C,,', '-n', 'sandbox', '-i', stage.sandbox.authority);
    const { stdout, stderr } = await open(home);
    expect(stdout, stderr).toContain('"RedfishVersion": "1.');
  });

  it('does not show it if it does not trust the CA', async () => {
    const home = join(folder, 'wary');
    mkdirSync(home);
    const { stdout, stderr } = await open(home);
    expect(stdout).not.toContain('RedfishVersion');
    expect(stderr).toContain('ERR_CERT_AUTHORITY_INVALID');
  });
});

// Last, because it ends with a restart of the manager.
describe('Ansible’s community.general', needs('ansible'), () => {
  it('performs the actions of its modules on a machine', { timeout: 4 * MINUTE }, async () => {
    const python = findTool('ansible') ?? '';
    const { redfish, username, password } = stage.bmc;
    const variables = {
      bmc: redfish.replace('https://', ''),
      username,
      password,
      authority: stage.sandbox.authority,
      image: stage.image,
      ansible_python_interpreter: python,
    };
    const args = ['-i', 'bmc,', '-e', JSON.stringify(variables), join(import.meta.dirname, 'machine.playbook.yml')];
    const home = { HOME: folder, ANSIBLE_HOME: join(folder, 'ansible'), ANSIBLE_PIPELINING: '1', LC_ALL: 'C.UTF-8' };
    const { code, stdout } = await runProgram(join(dirname(python), 'ansible-playbook'), args, home);
    expect({ code, failures: stdout.split('\n').filter((line) => line.startsWith('fatal:')) }, stdout).toEqual({
      code: 0,
      failures: [],
    });
    expect(stdout).toMatch(/^bmc +: ok=33 .*unreachable=0 +failed=0 +skipped=0 +rescued=0 +ignored=0/m);
    await eventually(
      async () => {
        expect(await stage.redfish.get('/redfish/v1/Systems/1')).toMatchObject({
          PowerState: 'On',
          LocationIndicatorActive: true,
          Boot: { BootSourceOverrideEnabled: 'Disabled' },
        });
      },
      { timeout: 30_000 },
    );
  });
});
