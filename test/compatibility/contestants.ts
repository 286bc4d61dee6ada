import { firstAnswer, type Contender } from '../bench/ipmi/contender.ts';
import { startFakebmc, startIpmiSim } from '../bench/ipmi/peers.ts';
import { ipmitool } from '../harness/sandbox/index.ts';
import { bmcFor, endpointOf, startMachines } from '../e2e/ipmi/runner/machines.ts';
import type { Endpoint } from '../e2e/ipmi/runner/run-line.ts';
import { ipmiSimEquipment } from './ipmi-sim-equipment.ts';
import type { Topic } from '../e2e/ipmi/table/index.ts';

/** The columns of the table, in their order. */
export const COLUMNS = ['groundcrew', 'ipmi_sim', 'fakebmc'] as const;
export type Column = (typeof COLUMNS)[number];

/** A BMC, or several of one make, that the table is run on. */
export interface Contestant {
  readonly name: Column;
  endpointFor(machine: Topic['machine']): Endpoint;
  /** More of ipmitool's options. */
  readonly ipmitoolOptions?: string;
  /** What is left of it after a row that was not ok; where clients cannot log in any more, it is started anew. */
  revive: () => Promise<'well' | 'full' | 'ended'>;
  close(): Promise<void>;
}

type Log = (line: string) => void;

/** Those that take part, each with how it is started. */
export const CONTESTANTS: Readonly<Record<Column, (log: Log) => Promise<Contestant>>> = {
  groundcrew: startOurs,
  // It does not answer the question for cipher suites, for which ipmitool waits 10 s before each command.
  ipmi_sim: () => startPeer('ipmi_sim', () => startIpmiSim(ipmiSimEquipment), '-C 3'),
  fakebmc: (log) => startPeer('fakebmc', () => startFakebmc(log)),
};

async function startOurs(): Promise<Contestant> {
  const sandbox = await startMachines();
  return {
    name: 'groundcrew',
    endpointFor: (machine) => endpointOf(bmcFor(sandbox, machine)),
    revive: () => Promise.resolve('well'),
    close: () => sandbox.close(),
  };
}

/** ms */
const ALIVE_WITHIN = 2_000;

async function startPeer(name: Column, start: () => Promise<Contender>, ipmitoolOptions?: string): Promise<Contestant> {
  let contender = await start();
  return {
    name,
    ...(ipmitoolOptions !== undefined && { ipmitoolOptions }),
    endpointFor: () => endpointOf(contender.bmc),
    revive: async () => {
      const state = await stateOf(contender);
      if (state !== 'well') {
        await contender.close();
        contender = await start();
      }
      return state;
    },
    close: () => contender.close(),
  };
}

/** `full`: it answers, and lets nobody in any more, since clients that failed have left their sessions open. */
async function stateOf({ bmc }: Contender): Promise<'well' | 'full' | 'ended'> {
  try {
    await firstAnswer(bmc.ipmi.port, AbortSignal.timeout(ALIVE_WITHIN));
  } catch {
    return 'ended';
  }
  const { code } = await ipmitool(bmc, 'mc info', { flags: ['-C', '3', '-N', '1', '-R', '1'] });
  return code === 0 ? 'well' : 'full';
}
