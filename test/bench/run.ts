/** `npm run bench`: measures what a user waits for, and prints a Markdown document. Progress goes to standard error. */
import { measureSandboxStart } from './sandbox-start.ts';
import { measureIpmitool } from './ipmitool-time.ts';
import { machineFacts } from './machine-facts.ts';
import { table, type Measurement } from './measurement.ts';

const progress = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
const measurements: Measurement[] = [...(await measureSandboxStart(progress)), ...(await measureIpmitool(progress))];
const facts = machineFacts().map((fact) => `- ${fact}`);
console.log(
  [
    '# Benchmarks',
    '',
    'Written by `npm run -s bench > docs/benchmarks.md`, on:',
    '',
    ...facts,
    '',
    ...table(measurements),
  ].join('\n'),
);
