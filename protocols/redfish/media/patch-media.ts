import { MachineError, type MediaDrive, type VirtualMedia } from '../../machine/index.ts';
import type { Caller } from '../caller.ts';
import type { JsonObject } from '../json.ts';
import { base, RedfishError, machineRefusal } from '../messages/index.ts';
import type { Patch } from '../resource.ts';
import { powerCycleNeeded } from './eject-media.ts';
import { IMAGE_RULES, imageOf, namesOtherProtocol } from './image-parameters.ts';

/** Parameters that require an image. */
const OF_IMAGE = ['UserName', 'Password', 'TransferMethod', 'TransferProtocolType'] as const;

/** Inserts and ejects like the actions, for clients that only set properties (VirtualMedia before 1.1). */
export function patchMedia(media: VirtualMedia, drive: () => MediaDrive): Patch {
  return {
    rules: {
      kind: 'object',
      properties: {
        ...IMAGE_RULES,
        Image: { ...IMAGE_RULES.Image, isNullable: true },
        VerifyCertificate: { kind: 'flag' },
      },
    },
    async apply(changes, caller) {
      try {
        const kept = await change(media, drive(), changes, caller);
        return kept === undefined ? undefined : [powerCycleNeeded(kept)];
      } catch (error) {
        if (!(error instanceof MachineError)) throw error;
        throw machineRefusal(error, base('PropertyValueError', ['Image'], ['#/Image']));
      }
    },
  };
}

/** @returns what the guest keeps of an ejected image */
async function change(
  media: VirtualMedia,
  drive: MediaDrive,
  changes: JsonObject,
  { requester }: Caller,
): Promise<string | undefined> {
  const { Image: image, Inserted: inserted, VerifyCertificate: verifies } = changes;
  if (verifies !== undefined && verifies !== drive.verifiesCertificate) {
    const message = base('PropertyNotWritable', ['VerifyCertificate'], ['#/VerifyCertificate']);
    const Resolution = 'It is spec.redfish.virtualMedia.tls.insecureSkipVerify of the VirtualMachineBMC.';
    throw new RedfishError(400, [{ ...message, Resolution }]);
  }
  if (changes['WriteProtected'] === false) {
    const message = base('PropertyValueError', ['WriteProtected'], ['#/WriteProtected']);
    throw new RedfishError(400, [{ ...message, Resolution: 'Images can be read alone: leave it out.' }]);
  }
  if (image === null || image === '') {
    if (inserted === true) throw conflict('Inserted', 'Image');
    return await media.eject(drive.id, requester);
  } else if (typeof image === 'string') {
    if (namesOtherProtocol(image, changes['TransferProtocolType'])) throw conflict('TransferProtocolType', 'Image');
    const isThere = image === drive.image && (inserted ?? true) === drive.isInserted;
    if (!isThere) await media.insert(drive.id, imageOf(image, changes), requester);
  } else if (inserted === false) {
    return await media.eject(drive.id, requester);
  } else if (inserted === true) {
    admitInserted(drive);
  } else {
    const alone = OF_IMAGE.find((name) => changes[name] !== undefined && changes[name] !== null);
    if (alone !== undefined && drive.image === undefined) throw conflict(alone, 'Image');
  }
  return undefined;
}

/**
 * Accepts an image that is already in the drive or being imported. An image that was imported with Inserted false must be inserted
 * again.
 */
function admitInserted({ image, isInserted, insertion }: MediaDrive): void {
  if (isInserted || (image !== undefined && insertion?.state === 'Importing')) return;
  throw conflict('Inserted', 'Image');
}

function conflict(property: string, other: string): RedfishError {
  return new RedfishError(400, [base('PropertyValueConflict', [property, other], [`#/${property}`])]);
}
