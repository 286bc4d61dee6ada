import { MachineError, type MediaDrive, type VirtualMedia } from '../../machine/index.ts';
import { base, machineRefusal, type Message } from '../messages/index.ts';
import type { Action } from '../resource.ts';
import { SYSTEM } from '../uris.ts';

const NAME = 'VirtualMedia.EjectMedia';

/** Ejecting an empty drive succeeds: clients eject before they insert. */
export function ejectMedia(media: VirtualMedia, drive: () => MediaDrive): Action {
  return {
    name: NAME,
    rules: { kind: 'object', properties: {} },
    async run(_parameters, { requester }) {
      try {
        const kept = await media.eject(drive().id, requester);
        return kept === undefined ? undefined : { messages: [powerCycleNeeded(kept)] };
      } catch (error) {
        if (!(error instanceof MachineError)) throw error;
        throw machineRefusal(error, base('OperationFailed'));
      }
    },
  };
}

/** @param kept what the guest keeps until a power cycle */
export function powerCycleNeeded(kept: string): Message {
  return { ...base('ResetRequired', [`${SYSTEM}/Actions/ComputerSystem.Reset`, 'PowerCycle']), Resolution: kept };
}
