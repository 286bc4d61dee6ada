/**
 * `npm run bench`: measures what a user waits for, beside the peers that are on the machine, and prints a Markdown
 * document. Progress, and which peers are left out, goes to standard error.
 */
import { measureIpmitool } from './ipmitool-time.ts';
import { machineFacts } from './machine-facts.ts';
import { table } from './measurement.ts';
import { startOurs } from './ours.ts';
import { pyghmiVersion, startPeers } from './peers/index.ts';
import { measureRequestRates } from './request-rate.ts';
import { measureSandboxStart } from './sandbox-start.ts';

const progress = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const starts = await measureSandboxStart(progress);
const ours = await startOurs();
const { contenders, leftOut } = await startPeers(progress);
const all = [ours, ...contenders];
try {
  const times = await measureIpmitool(all, progress);
  const rates = await measureRequestRates(
    [
      ...all.map(({ name, bmc }) => ({ ...bmc, ...(name === ours.name ? ours.agent : bmc.ipmi), server: name })),
      { ...ours.bmc, ...ours.bmc.ipmi, server: ours.name, way: ", through the sandbox's Service" },
    ],
    progress,
  );
  console.log(document([...starts, ...times, ...rates]));
} finally {
  await Promise.all(all.map((contender) => contender.close()));
}

function document(measurements: Parameters<typeof table>[0]): string {
  return [
    '# Benchmarks',
    '',
    'Written by `npm run -s bench > docs/benchmarks.md`, which measures all servers in turn, in one run. The ratio is how',
    'many times better groundcrew is than that server: peer / ours for times, ours / peer for rates. Above 1, ours is better.',
    '',
    '- groundcrew: a BMC of the sandbox. ipmitool reaches it through the Service; a command that changes a virtual machine',
    '  is answered when the API server has it. After the first `power on` the machine is on already, here and there.',
    `- fakebmc: the sample BMC of pyghmi ${pyghmiVersion()}, whose code VirtualBMC runs on.`,
    '  It changes a variable.',
    '- ipmi_sim: the simulator of [OpenIPMI](https://openipmi.sourceforge.io/), in C. It does not answer the question for',
    '  cipher suites that ipmitool asks unless it is given `-C`.',
    '- Requests: cipher suite 3, one request in flight per session, straight to the server. The client is one Node process',
    '  on the same machine and takes its share of it, so a rate is that of both together.',
    '',
    'Measured on:',
    '',
    ...[...machineFacts(), ...leftOut].map((fact) => `- ${fact}`),
    '',
    ...table(measurements),
  ].join('\n');
}
