import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import type { Sandbox, SandboxBmc } from '../../harness/sandbox/index.ts';
import { needs } from '../../tools/index.ts';
import { ClusterView } from './runner/cluster-view.ts';
import { differences } from './runner/verdict.ts';
import { bmcFor, endpointOf, startMachines } from './runner/machines.ts';
import { runLine, type Outcome } from './runner/run-line.ts';
import { TABLE, type Row } from './table/index.ts';

/** ms */
const ROW_TIMEOUT = 30_000;

const CLIENTS = ['ipmitool', 'ipmi-power', 'pyghmi'] as const;

// The rows of a topic depend on the previous rows, so none can be skipped.
describe('real clients at the BMCs of a sandbox', needs(...CLIENTS), () => {
  let sandbox: Sandbox;
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-clients-'));

  beforeAll(async () => {
    sandbox = await startMachines();
    const quiet = bmcFor(sandbox, 'quiet');
    expect(await run('ipmitool $L chassis power on', quiet)).toMatchObject({ code: 0 });
    await new ClusterView(sandbox, quiet).shows({ instance: 'runs' }, undefined);
  });
  afterAll(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });

  describe.each(TABLE)('$title', ({ machine, rows }) => {
    it.each(rows)('$command', async (row) => {
      const bmc = bmcFor(sandbox, machine);
      const view = new ClusterView(sandbox, bmc);
      const uidBefore = row.effect === undefined ? undefined : await view.instanceUid();
      if (row.settles === true) await eventually(() => expectAsWanted(row, bmc));
      else await expectAsWanted(row, bmc);
      if (row.effect !== undefined) await view.shows(row.effect, uidBefore);
    });
  });

  async function expectAsWanted(row: Row, bmc: SandboxBmc): Promise<void> {
    const outcome = await run(row.command, bmc);
    expect(differences(row, outcome), `${row.command}\n${outcome.stdout}\n${outcome.stderr}`).toEqual([]);
  }

  async function run(command: string, bmc: SandboxBmc): Promise<Outcome> {
    return await runLine(command, endpointOf(bmc), { folder, timeout: ROW_TIMEOUT });
  }
});
