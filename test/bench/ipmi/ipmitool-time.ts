import { ipmitool } from '../../harness/sandbox/index.ts';
import { alternate } from '../alternate.ts';
import type { Contender } from './contender.ts';
import { OURS, type Measurement } from '../measurement.ts';

interface Call {
  command: string;
  flags?: readonly string[];
  /** How often each contender is asked; one that has no number does not take part. */
  runs: Partial<Record<Contender['name'], number>>;
  /** Of ours, ms. */
  goal?: number;
}

const CALLS: readonly Call[] = [
  // Without -C, ipmitool first asks for the cipher suites. ipmi_sim does not answer that: 10 s each time.
  { command: 'chassis power status', runs: { groundcrew: 20, fakebmc: 20, ipmi_sim: 2 }, goal: 40 },
  { command: 'chassis power status', flags: ['-C', '3'], runs: { groundcrew: 20, fakebmc: 20, ipmi_sim: 20 } },
  { command: 'chassis status', runs: { groundcrew: 20, fakebmc: 20 } },
  // ipmi_sim refuses both unless it is given a program that does it.
  { command: 'chassis bootdev pxe', runs: { groundcrew: 20, fakebmc: 20 } },
  { command: 'chassis power on', runs: { groundcrew: 20, fakebmc: 20 } },
  { command: 'mc info', runs: { groundcrew: 20, fakebmc: 20 } },
];

/** Wall time of ipmitool, session set-up included, as a script that calls it sees it. */
export async function measureIpmitool(
  contenders: readonly Contender[],
  progress: (line: string) => void,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const { command, flags = [], runs, goal } of CALLS) {
    const line = [...flags, command].join(' ');
    progress(`ipmitool ${line}`);
    const results = await alternate(
      contenders
        .filter(({ name }) => runs[name] !== undefined)
        .map(({ name, bmc }) => ({
          subject: name,
          runs: runs[name] ?? 0,
          measure: () => time(name, bmc, command, flags),
        })),
    );
    for (const { subject, values } of results) {
      const what = `\`ipmitool -I lanplus … ${line}\``;
      measurements.push({
        ...{ what, server: subject, unit: 'ms', values },
        ...(subject === OURS && goal !== undefined && { goal }),
      });
    }
  }
  return measurements;
}

async function time(
  name: Contender['name'],
  bmc: Contender['bmc'],
  command: string,
  flags: readonly string[],
): Promise<number> {
  const started = performance.now();
  const { code, stderr } = await ipmitool(bmc, command, { flags });
  const elapsed = performance.now() - started;
  // Other BMCs have it complain while it succeeds.
  if (code !== 0 || (name === OURS && stderr !== ''))
    throw new Error(`ipmitool ${command} against ${bmc.name}: ${stderr}`);
  return elapsed;
}
