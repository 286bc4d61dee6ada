import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** More lines for ipmi_sim's two files, so that it has more of what it can: power, an event log and a FRU. */
export function ipmiSimEquipment(folder: string): { lan: string[]; commands: string[] } {
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

/** A product area alone: OpenIPMI, ipmi_sim. */
const FRU = Buffer.from('01000000010000fe010419c84f70656e49504d49c869706d695f73696dc0c0c0c0c0c100000000b9', 'hex');

function bytes(data: Buffer): string {
  return [...data].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(' ');
}
