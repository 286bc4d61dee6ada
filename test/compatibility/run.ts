/**
 * `npm run -s compatibility`: runs the table of real clients' command lines on a sandbox and on the peers that are on this
 * machine, and writes what came of it into docs/compatibility.md, with the list of commands. `-- commands` writes that list alone.
 * Progress, and which peer could not be started, goes to standard error. It takes half an hour, most of which peers are silent.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientsPart, type Verdicts } from './clients-part.ts';
import { commandsPart } from './commands-part.ts';
import { COLUMNS, CONTESTANTS, type Column } from './contestants.ts';
import { writePart } from './document.ts';
import { runTable } from './run-table.ts';

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

writePart('ipmi commands', commandsPart());
if (!process.argv.slice(2).includes('commands')) writePart('ipmi clients', clientsPart(await verdictsOfAll()));

/** All at once: they wait for most of the time. */
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
