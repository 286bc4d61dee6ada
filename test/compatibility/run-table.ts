import { setTimeout as sleep } from 'node:timers/promises';
import { differences, verdict } from '../e2e/ipmi/runner/judge.ts';
import { runLine, type Outcome } from '../e2e/ipmi/runner/run-line.ts';
import { TABLE, type Row, type Topic } from '../e2e/ipmi/table/index.ts';
import type { Contestant } from './contestants.ts';

/** ms that a row may take before it counts as one that hangs. */
const PATIENCE = 15_000;
/** ms that a command has to show what the one before it led to. */
const SETTLE_WITHIN = 5_000;
/** ms between a command that changes a machine and the next one; the table's own test looks at the cluster instead. */
const EFFECT_WITHIN = 3_000;

/** What comes of each row on one BMC, in the order of the table, in a few words each. */
export async function runTable(contestant: Contestant, folder: string, log: (line: string) => void): Promise<string[]> {
  const verdicts: string[] = [];
  for (const { machine, rows } of TABLE) {
    // Of ours each purpose has a machine, whose topics go on where the one before ended.
    const switched = machine === 'quiet' ? 'on' : 'off';
    await run(contestant, machine, `ipmitool $L chassis power ${switched}`, folder);
    await sleep(EFFECT_WITHIN);
    for (const row of rows) {
      const said = await judge(contestant, machine, row, folder);
      verdicts.push(said);
      log(`${contestant.name}: ${row.command}: ${said}`);
    }
  }
  return verdicts;
}

async function judge(contestant: Contestant, machine: Topic['machine'], row: Row, folder: string): Promise<string> {
  const said = verdict(row, await runRow(contestant, machine, row, folder));
  if (said === 'ok') return said;
  const state = await contestant.revive();
  if (state === 'well') return said;
  if (state === 'ended') return 'ends the BMC';
  // The sessions that clients have left open before are not counted against it.
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
  const options = { folder, timeout: PATIENCE, ...(ipmitoolOptions !== undefined && { ipmitoolOptions }) };
  return await runLine(command, contestant.endpointFor(machine), options);
}
