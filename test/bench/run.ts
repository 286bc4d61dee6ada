/**
 * `npm run bench`: measures what a user waits for and what a cluster pays, beside the peers that are on the machine,
 * and prints a Markdown document. `npm run bench -- manager` prints that section alone. Progress, and which peers are
 * left out, goes to standard error.
 */
import { measureDhcp } from './dhcp/section.ts';
import { measureIpmi } from './ipmi/section.ts';
import { machineInputs } from './machine-facts.ts';
import { table } from './measurement.ts';
import { measureRedfish } from './redfish/section.ts';
import { measureManagerSection } from './manager/section.ts';
import { measureSandbox } from './sandbox/section.ts';
import type { MeasureSection, Section } from './section.ts';

const SECTIONS: Readonly<Record<string, MeasureSection>> = {
  sandbox: measureSandbox,
  ipmi: measureIpmi,
  redfish: measureRedfish,
  dhcp: measureDhcp,
  manager: measureManagerSection,
};

const progress = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SECTIONS);
const chosen = names.map((name) => {
  const measure = SECTIONS[name];
  if (measure !== undefined) return measure;
  progress(`there is no section ${name}: one of ${Object.keys(SECTIONS).join(', ')}`);
  process.exit(2);
});
const sections: Section[] = [];
for (const measure of chosen) sections.push(await measure(progress));
console.log(document(sections));

function document(parts: readonly Section[]): string {
  return [
    '# Benchmarks',
    '',
    'Written by `npm run -s bench > docs/benchmarks.md`, which measures all contenders in turn, in one run. The ratio is how',
    'many times better groundcrew is than that one: peer / ours for times and sizes, ours / peer for rates. Above 1, ours is',
    'better. A goal is the worst median that would do.',
    '',
    'Measured on:',
    '',
    ...machineInputs().map((fact) => `- ${fact}`),
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
