import { ipmitool } from '../../harness/sandbox/index.ts';
import { OURS, type Measurement, type Progress } from '../measurement.ts';
import type { Contender } from './contender.ts';

interface Call {
  command: string;
  flags?: readonly string[];
  /** Number of calls for each contender; contenders without a number are left out. */
  runs: Partial<Record<Contender['name'], number>>;
  /** Goal for ours in ms. */
  goal?: number;
}

const CALLS: readonly Call[] = [
  // Without -C, ipmitool first requests the cipher suites. ipmi_sim does not answer: 10 s for each call.
  { command: 'chassis power status', runs: { groundcrew: 20, fakebmc: 20, ipmi_sim: 2 }, goal: 40 },
  { command: 'chassis power status', flags: ['-C', '3'], runs: { groundcrew: 20, fakebmc: 20, ipmi_sim: 20 } },
  { command: 'chassis status', runs: { groundcrew: 20, fakebmc: 20 } },
  // ipmi_sim refuses both without an external program.
  { command: 'chassis bootdev pxe', runs: { groundcrew: 20, fakebmc: 20 } },
  { command: 'chassis power on', runs: { groundcrew: 20, fakebmc: 20 } },
  { command: 'mc info', runs: { groundcrew: 20, fakebmc: 20 } },
];

/** Wall time of ipmitool including the session, as for a script that calls it. */
export async function measureIpmitool(contenders: readonly Contender[], progress: Progress): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const { command, flags = [], runs, goal } of CALLS) {
    const line = [...flags, command].join(' ');
    progress(`ipmitool ${line}`);
    const callers = contenders.map((contender) => ({
      ...contender,
      runs: runs[contender.name] ?? 0,
      values: [] as number[],
    }));
    // The contenders take turns, so that other load on the machine affects all of them.
    for (let run = 0; callers.some((caller) => run < caller.runs); run += 1) {
      for (const { name, bmc, values, ...caller } of callers) {
        if (run < caller.runs) values.push(await time(name, bmc, command, flags));
      }
    }
    for (const { name, values } of callers.filter((caller) => caller.runs > 0)) {
      const what = `\`ipmitool -I lanplus … ${line}\``;
      measurements.push({
        ...{ what, server: name, unit: 'ms', values },
        ...(name === OURS && goal !== undefined && { goal }),
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
  // With other BMCs ipmitool prints warnings although it succeeds.
  if (code !== 0 || (name === OURS && stderr !== ''))
    throw new Error(`ipmitool ${command} against ${bmc.name}: ${stderr}`);
  return elapsed;
}
