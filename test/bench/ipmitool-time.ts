import { ipmitool, startSandbox } from '../harness/sandbox/index.ts';
import type { Measurement } from './measurement.ts';

const RUNS = 20;
const COMMANDS = ['chassis power status', 'chassis status', 'chassis bootdev pxe', 'chassis power on', 'mc info'];

/** Wall time of ipmitool, session set-up included, as a script that calls it sees it. */
export async function measureIpmitool(progress: (line: string) => void): Promise<Measurement[]> {
  const sandbox = await startSandbox();
  try {
    const [bmc] = sandbox.bmcs;
    if (bmc === undefined) throw new Error('the sandbox has no BMC');
    const measurements: Measurement[] = [];
    for (const command of COMMANDS) {
      progress(`ipmitool ${command}`);
      const times: number[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const started = performance.now();
        const { code, stderr } = await ipmitool(bmc, command);
        times.push(performance.now() - started);
        if (code !== 0) throw new Error(`ipmitool ${command}: ${stderr}`);
      }
      measurements.push({ what: `\`ipmitool -I lanplus … ${command}\``, times });
    }
    return measurements;
  } finally {
    await sandbox.close();
  }
}
