import type { Bmc } from '../command.ts';

/** What clients wrote, else the machine's own; empty where there is none. */
export function assetTagOf(bmc: Bmc): string {
  return assetTagBytes(bmc).toString();
}

/** The same as it stands on the wire, UTF-8; a letter that lies across two writes is whole after the second. */
export function assetTagBytes({ machine, settings }: Bmc): Buffer {
  const kept = settings.current().dcmi?.assetTag;
  return kept === undefined ? Buffer.from(machine.hardware().assetTag ?? '') : Buffer.from(kept, 'latin1');
}
