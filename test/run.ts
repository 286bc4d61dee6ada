/**
 * `npm test`: all checks of the project, one after the other. The last line is `N passed, N failed`. Arguments: names of
 * tiers (`unit embedded`), files and folders (`embedded test/suites/power`), `--quick` for the fast tiers, `--full` also
 * for the suites that changes do not affect. `bare --full` repeats all tests on a machine with only Node.
 *
 * Tests that need missing programs are skipped, and counted in a table at the end with the command that installs them.
 * With CI=true the programs are installed instead, and a skip is a failure.
 */
import { packagesChanged, recordPass } from './run/package-suites.ts';
import { filesOf, parsePlan, type Tier } from './run/tiers.ts';
import { runBare } from './run/run-bare.ts';
import { runStaticChecks } from './run/static-checks.ts';
import { hasRealServers, prepareTools } from './run/prepare-tools.ts';
import { runProject } from './run/run-project.ts';
import { skipTable } from './run/skip-table.ts';
import { sum, type Tally } from './run/tally.ts';

const continuousIntegration = process.env['CI'] === 'true';
const args = process.argv.slice(2);
const plan = parsePlan(args, { continuousIntegration });
const changed = packagesChanged({ continuousIntegration });
const tallies: Tally[] = [];
for (const tier of plan.tiers) tallies.push(await run(tier));
report(sum(tallies));
if (continuousIntegration && !plan.isNamed && process.exitCode === 0) recordPass();

async function run(tier: Tier): Promise<Tally> {
  console.log(`\n=== ${tier}`);
  if (tier === 'static') return await runStaticChecks();
  if (tier === 'bare') return await runBare({ full: args.includes('--full') });
  const facts = { hasRealServers: continuousIntegration || hasRealServers(), packagesChanged: changed };
  const files = filesOf(tier, plan, facts);
  if (files === undefined) {
    console.log('nothing to run: its suites run on the real servers, and packages/ has not changed (--full runs all)');
    return { passed: 0, failed: [], skipped: [] };
  }
  const tools = await prepareTools(tier, { install: continuousIntegration });
  if (tools.verdict === 'run') return await runProject(tier, files);
  if (tools.verdict === 'fail') return { passed: 0, failed: [tools.message], skipped: [] };
  console.log(`skipped: this machine has no ${tools.lacks.map(({ what }) => what).join(', ')}`);
  return { passed: 0, failed: [], skipped: [{ name: tier, lacks: tools.lacks, isTier: true }] };
}

function report({ passed, failed, skipped, unsteady = [] }: Tally): void {
  const refusedSkips = continuousIntegration ? skipped : [];
  console.log('');
  for (const line of skipTable(skipped)) console.log(line);
  for (const name of unsteady)
    console.log(`UNSTEADY ${name}: it failed, and passed when its file ran once more. Find the race.`);
  for (const name of failed) console.log(`FAILED  ${name}`);
  if (refusedSkips.length > 0) console.log('With CI=true a skip is a failure.');
  const failures = failed.length + refusedSkips.length;
  console.log(`${passed} passed, ${failures} failed`);
  process.exitCode = failures === 0 && passed > 0 ? 0 : 1;
}
