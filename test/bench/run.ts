/**
 * `npm run bench`: measures Groundcrew beside the peers that are on the machine and prints docs/benchmarks.md.
 * `npm run bench -- manager` prints one section, and passes options such as `--sizes=100,1000` to it. Progress, and which peers are left out, goes to standard error.
 * `npm run bench -- fleet --help`: the load generator, which has options of its own.
 */
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

const progress: Progress = (line) => {
  process.stderr.write(`${line}\n`);
};

if (process.argv[2] === 'fleet') process.exit(await fleetCommand(process.argv.slice(3)));

const given = process.argv.slice(2);
const options = Object.fromEntries(
  given.flatMap((argument) => {
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/.exec(argument) ?? [];
    return name === '' ? [] : [[name, value]];
  }),
);
const named = given.filter((argument) => !argument.startsWith('--'));
const names = named.length > 0 ? named : Object.keys(SECTIONS);
const chosen = names.map((name) => {
  const measure = SECTIONS[name];
  if (measure !== undefined) return measure;
  progress(`there is no section '${name}'; there are: ${Object.keys(SECTIONS).join(', ')}`);
  process.exit(2);
});
const sections: Section[] = [];
for (const measure of chosen) sections.push(await measure(progress, options));
console.log(document(sections));

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
