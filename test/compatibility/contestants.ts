import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstAnswer, type Contender } from '../bench/ipmi/contender.ts';
import { startFakebmc, startIpmiSim } from '../bench/ipmi/peers.ts';
import { ipmitool } from '../harness/sandbox/index.ts';
import { bmcFor, endpointOf, startMachines } from '../e2e/ipmi/runner/machines.ts';
import type { Endpoint } from '../e2e/ipmi/runner/run-line.ts';
import type { Topic } from '../e2e/ipmi/table/index.ts';

/** The columns of the table, in order. */
export const COLUMNS = ['groundcrew', 'ipmi_sim', 'fakebmc'] as const;
export type Column = (typeof COLUMNS)[number];

/** A BMC implementation that runs the table. */
export interface Contestant {
  readonly name: Column;
  endpointFor(machine: Topic['machine']): Endpoint;
  /** Additional ipmitool options. */
  readonly ipmitoolOptions?: string;
  /** Its state after a row that was not ok: `full` has no free session. A BMC that does not work is restarted. */
  revive: () => Promise<'works' | 'full' | 'ended'>;
  close(): Promise<void>;
}

type Log = (line: string) => void;

/** Starts each BMC implementation. */
export const CONTESTANTS: Readonly<Record<Column, (log: Log) => Promise<Contestant>>> = {
  groundcrew: startOurs,
  // It does not answer the request for cipher suites; ipmitool waits 10 s for it before each command.
  ipmi_sim: () => startPeer('ipmi_sim', () => startIpmiSim(ipmiSimEquipment), '-C 3'),
  fakebmc: (log) => startPeer('fakebmc', () => startFakebmc(log)),
};

async function startOurs(): Promise<Contestant> {
  const sandbox = await startMachines();
  return {
    name: 'groundcrew',
    endpointFor: (machine) => endpointOf(bmcFor(sandbox, machine)),
    revive: () => Promise.resolve('works'),
    close: () => sandbox.close(),
  };
}

/** ms */
const ANSWER_TIMEOUT = 2_000;

async function startPeer(name: Column, start: () => Promise<Contender>, ipmitoolOptions?: string): Promise<Contestant> {
  let contender = await start();
  return {
    name,
    ...(ipmitoolOptions !== undefined && { ipmitoolOptions }),
    endpointFor: () => endpointOf(contender.bmc),
    revive: async () => {
      const state = await stateOf(contender);
      if (state !== 'works') {
        await contender.close();
        contender = await start();
      }
      return state;
    },
    close: () => contender.close(),
  };
}

/** `full`: it answers but accepts no log-in, because failed clients left their sessions open. */
async function stateOf({ bmc }: Contender): Promise<'works' | 'full' | 'ended'> {
  try {
    await firstAnswer(bmc.ipmi.port, AbortSignal.timeout(ANSWER_TIMEOUT));
  } catch {
    return 'ended';
  }
  const { code } = await ipmitool(bmc, 'mc info', { flags: ['-C', '3', '-N', '1', '-R', '1'] });
  return code === 0 ? 'works' : 'full';
}

/** Additional lines of ipmi_sim's two configuration files: power, an event log and a FRU. */
function ipmiSimEquipment(folder: string): { lan: string[]; commands: string[] } {
  const control = join(folder, 'chassis-control');
  writeFileSync(control, CHASSIS_CONTROL);
  chmodSync(control, 0o755);
  return {
    lan: [`chassis_control "${control} 0x20"`],
    commands: ['sel_enable 0x20 1000 0x0a', `mc_add_fru_data 0x20 0 ${FRU.length} data ${bytes(FRU)}`],
  };
}

/** ipmi_lan(5): `get <item>` prints `item:value`, `set <item> <value>` changes it. */
const CHASSIS_CONTROL = `#!/bin/sh
cd "$(dirname "$0")"
shift
operation=$1
shift
while [ $# -gt 0 ]; do
  case $operation in
    get) echo "$1:$(cat "state-$1" 2>/dev/null || { [ "$1" = boot ] && echo default || echo 0; })" ;;
    set)
      echo "$2" > "state-$1"
      [ "$1" = shutdown ] && echo 0 > state-power
      shift
      ;;
  esac
  shift
done
`;

/** A FRU with only a product area: OpenIPMI, ipmi_sim. */
const FRU = Buffer.from('01000000010000fe010419c84f70656e49504d49c869706d695f73696dc0c0c0c0c0c100000000b9', 'hex');

function bytes(data: Buffer): string {
  return [...data].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(' ');
}
