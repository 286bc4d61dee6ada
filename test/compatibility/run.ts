/**
 * `npm run -s compatibility`: runs the table of command lines of real clients on a sandbox and on the peers that are on this
 * machine, and writes the results and the list of commands into docs/compatibility.md. `-- commands` writes only that list.
 * Progress, and which peer did not start, goes to standard error. The run takes half an hour.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runLine, type Outcome } from '../e2e/ipmi/runner/run-line.ts';
import { differences, verdict } from '../e2e/ipmi/runner/verdict.ts';
import { TABLE, type Row, type Topic } from '../e2e/ipmi/table/index.ts';
import { clientsPart, type Verdicts } from './clients.ts';
import { commandsPart } from './commands.ts';
import { COLUMNS, CONTESTANTS, type Column, type Contestant } from './contestants.ts';
import { writePart } from './document.ts';

/** ms after which a row counts as hanging. */
const TIMEOUT = 15_000;
/** ms until the effect of the previous command must be visible. */
const SETTLE_WITHIN = 5_000;
/** ms after a command that changes a machine; the e2e test observes the cluster instead. */
const EFFECT_WITHIN = 3_000;

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

writePart('ipmi commands', commandsPart());
if (!process.argv.slice(2).includes('commands')) writePart('ipmi clients', clientsPart(await verdictsOfAll()));

/** All in parallel, because they mostly wait. */
async function verdictsOfAll(): Promise<Verdicts> {
  const all = await Promise.all(COLUMNS.map(async (name) => [name, await verdictsOf(name)] as const));
  return Object.fromEntries(all.flatMap(([name, verdicts]) => (verdicts === undefined ? [] : [[name, verdicts]])));
}

async function verdictsOf(name: Column): Promise<string[] | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-compatibility-'));
  try {
    const contestant = await CONTESTANTS[name](log);
    try {
      return await runTable(contestant, folder, log);
    } finally {
      await contestant.close();
    }
  } catch (error) {
    log(`LEFT OUT ${name}: ${String(error)}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The result of each row on one BMC, in the order of the table. */
async function runTable(contestant: Contestant, folder: string, log: (line: string) => void): Promise<string[]> {
  const verdicts: string[] = [];
  for (const { machine, rows } of TABLE) {
    // Our sandbox has one machine for each purpose; a topic starts in the state that the previous one left.
    const switched = machine === 'quiet' ? 'on' : 'off';
    await run(contestant, machine, `ipmitool $L chassis power ${switched}`, folder);
    await sleep(EFFECT_WITHIN);
    for (const row of rows) {
      const said = await resultOf(contestant, machine, row, folder);
      verdicts.push(said);
      log(`${contestant.name}: ${row.command}: ${said}`);
    }
  }
  return verdicts;
}

async function resultOf(contestant: Contestant, machine: Topic['machine'], row: Row, folder: string): Promise<string> {
  const said = verdict(row, await runRow(contestant, machine, row, folder));
  if (said === 'ok') return said;
  const state = await contestant.revive();
  if (state === 'works') return said;
  if (state === 'ended') return 'ends the BMC';
  // A second attempt, without the sessions that earlier clients left open.
  const again = verdict(row, await runRow(contestant, machine, row, folder));
  if (again !== 'ok') await contestant.revive();
  return again;
}

async function runRow(contestant: Contestant, machine: Topic['machine'], row: Row, folder: string): Promise<Outcome> {
  const deadline = performance.now() + SETTLE_WITHIN;
  for (;;) {
    const outcome = await run(contestant, machine, row.command, folder);
    const isDone = differences(row, outcome).length === 0 || row.settles !== true || performance.now() > deadline;
    if (!isDone) continue;
    if (row.effect !== undefined && contestant.name === 'groundcrew') await sleep(EFFECT_WITHIN);
    return outcome;
  }
}

async function run(
  contestant: Contestant,
  machine: Topic['machine'],
  command: string,
  folder: string,
): Promise<Outcome> {
  const { ipmitoolOptions } = contestant;
  const options = { folder, timeout: TIMEOUT, ...(ipmitoolOptions !== undefined && { ipmitoolOptions }) };
  return await runLine(command, contestant.endpointFor(machine), options);
}
