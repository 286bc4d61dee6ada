import { MachineError, type MediaDrive, type VirtualMedia } from '../../machine/index.ts';
import { base, machineRefusal } from '../messages/index.ts';
import type { Action } from '../resource.ts';

const NAME = 'VirtualMedia.EjectMedia';

/** An empty drive is as it was asked to be: clients eject before they insert. */
export function ejectMedia(media: VirtualMedia, drive: () => MediaDrive): Action {
  return {
    name: NAME,
    rules: { kind: 'object', properties: {} },
    async run(_parameters, { requester }) {
      try {
        await media.eject(drive().id, requester);
      } catch (error) {
        if (!(error instanceof MachineError)) throw error;
        throw machineRefusal(error, base('OperationFailed'));
      }
      return undefined;
    },
  };
}
