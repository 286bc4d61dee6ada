/**
 * `npm run bench`: measures Groundcrew beside the peers that are on the machine and prints docs/benchmarks.md.
 * `npm run bench -- manager` prints one section, and passes options such as `--sizes=100,1000` to it; `--help` says which. Progress, and which peers are left out, goes to standard error.
 */
import { parseArgs } from 'node:util';
import { measureDhcp } from './dhcp/section.ts';
import { machineFacts } from './facts.ts';
import { fleetCommand } from './fleet/command.ts';
import { measureFleet } from './fleet/section.ts';
import { measureIpmi } from './ipmi/section.ts';
import { measureManager } from './manager/section.ts';
import { measureMemory } from './memory/section.ts';
import { table, type Options, type Progress, type Section } from './measurement.ts';
import { measurePool } from './pool/section.ts';
import { measureRedfish } from './redfish/section.ts';
import { measureFlood } from './shared-agent/flood.ts';
import { measureSharedAgents } from './shared-agent/start.ts';
import { measureSandbox } from './sandbox-start.ts';
import { measureFleetPage } from './web/fleet-page.ts';
import { measureWeb } from './web/section.ts';

const SECTIONS: Readonly<Record<string, (progress: Progress, options: Options) => Promise<Section>>> = {
  sandbox: measureSandbox,
  ipmi: measureIpmi,
  redfish: measureRedfish,
  dhcp: measureDhcp,
  manager: measureManager,
  pool: measurePool,
  shared: measureSharedAgents,
  flood: measureFlood,
  memory: measureMemory,
  web: measureWeb,
  'fleet-page': measureFleetPage,
  fleet: measureFleet,
};

const TEXT = { type: 'string' } as const;
const OPTIONS = {
  help: { type: 'boolean' },
  ...{ agents: TEXT, bmcs: TEXT, leases: TEXT, profile: TEXT, rounds: TEXT, servers: TEXT, sizes: TEXT, steady: TEXT },
} as const;

const HELP = `npm run -s bench -- [section …] [--option=value …]

Sections, default all: ${Object.keys(SECTIONS).join(', ')}

  manager     --sizes=100,1000     numbers of BMCs
              --servers=embedded   API servers: embedded, kubernetes
              --steady=60          seconds without a change
              --profile=<folder>   CPU profiles of the manager; also for pool
  pool        --leases=<count>
  memory      --sizes=1,100        numbers of BMCs of a shared agent
              --agents=shared      without dedicated ones
  flood       --bmcs=<count> --rounds=<count>
  fleet-page  --bmcs=100,1000
  fleet       has options of its own: npm run bench -- fleet --help`;

const progress: Progress = (line) => {
  process.stderr.write(`${line}\n`);
};

if (process.argv[2] === 'fleet') process.exit(await fleetCommand(process.argv.slice(3)));

const { values, positionals } = readArguments();
const { help, ...options } = values;
if (help === true) {
  console.log(HELP);
  process.exit(0);
}
const names = positionals.length > 0 ? positionals : Object.keys(SECTIONS);
const chosen = names.map((name) => {
  const measure = SECTIONS[name];
  return measure ?? refuse(`there is no section '${name}'`);
});
const sections: Section[] = [];
for (const measure of chosen) sections.push(await measure(progress, options));
console.log(document(sections));

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(problem: string): never {
  progress(`${problem}\n\n${HELP}`);
  process.exit(2);
}

function document(parts: readonly Section[]): string {
  return [
    '# Benchmarks',
    '',
    '`npm run -s bench > docs/benchmarks.md` writes this document. It measures all servers in turn, in one run. The ratio says',
    'how many times better groundcrew is than that server: peer / ours for times and sizes, ours / peer for rates. Above 1,',
    'ours is better. A goal is the worst acceptable median.',
    '',
    'Measured on:',
    '',
    ...machineFacts().map((fact) => `- ${fact}`),
    ...parts.flatMap(({ title, introduction, inputs, measurements }) => [
      '',
      `## ${title}`,
      '',
      ...introduction,
      ...inputs.map((fact) => `- ${fact}`),
      '',
      ...table(measurements),
    ]),
  ].join('\n');
}
