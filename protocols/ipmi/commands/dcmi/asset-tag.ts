import type { Bmc } from '../command.ts';

/** The tag written by clients, or else the machine's own; may be empty. */
export function assetTagOf(bmc: Bmc): string {
  return assetTagBytes(bmc).toString();
}

/** The UTF-8 bytes of the tag. A character split across two writes is complete after the second. */
export function assetTagBytes({ machine, settings }: Bmc): Buffer {
  const kept = settings.current().dcmi?.assetTag;
  return kept === undefined ? Buffer.from(machine.hardware().assetTag ?? '') : Buffer.from(kept, 'latin1');
}
