import type { Contender } from '../contender.ts';
import { startFakebmc } from './fakebmc.ts';
import { startIpmiSim } from './ipmi-sim.ts';

export { pyghmiVersion } from '../../../tools/python-environment.ts';

const PEERS = [
  {
    name: 'fakebmc',
    start: startFakebmc,
    install: 'sudo apt-get install python3 python3-venv    (3.11 or later; pip takes the rest from PyPI)',
  },
  { name: 'ipmi_sim', start: () => startIpmiSim(), install: 'sudo apt-get install openipmi' },
] as const;

/** Starts the peers that this machine can run. `leftOut` has a line for each of the others: why, and how to have it. */
export async function startPeers(log: (line: string) => void): Promise<{ contenders: Contender[]; leftOut: string[] }> {
  const contenders: Contender[] = [];
  const leftOut: string[] = [];
  for (const { name, start, install } of PEERS) {
    try {
      contenders.push(await start(log));
    } catch (error) {
      const reason = error instanceof Error ? error.message.trim() : String(error);
      log(`LEFT OUT ${name}: ${reason}\nLEFT OUT ${name}: to have it: ${install}`);
      leftOut.push(`${name} was left out, since it could not be started. To have it: ${install}`);
    }
  }
  return { contenders, leftOut };
}
