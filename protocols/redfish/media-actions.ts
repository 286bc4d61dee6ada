import { MachineError, type MediaDrive, type MediaImage, type VirtualMedia } from '../machine/index.ts';
import type { JsonObject } from './json.ts';
import { base, machineRefusal, RedfishError } from './messages.ts';
import type { Action } from './resource.ts';
import type { Rule } from './rules.ts';
import { powerCycleNeeded, taskUri } from './tasks.ts';

const INSERT = 'VirtualMedia.InsertMedia';

/** Done, or 202 with a Task: the guest does not have the image yet. */
export function insertMedia(media: VirtualMedia, drive: () => MediaDrive): Action {
  return {
    name: INSERT,
    rules: { kind: 'object', properties: { ...IMAGE_RULES, Image: { ...IMAGE_RULES.Image, isRequired: true } } },
    async run(parameters, { requester }) {
      const { Image: given } = parameters;
      const image = typeof given === 'string' ? given : '';
      if (namesOtherProtocol(image, parameters['TransferProtocolType'])) {
        throw conflict('TransferProtocolType', 'Image');
      }
      if (parameters['WriteProtected'] === false)
        throw wrong('WriteProtected', 'Images are read-only. Omit WriteProtected.');
      try {
        await media.insert(drive().id, imageOf(image, parameters), requester);
      } catch (error) {
        if (!(error instanceof MachineError)) throw error;
        throw machineRefusal(error, base('ActionParameterValueError', ['Image', INSERT], ['#/Image']));
      }
      const { insertion } = drive();
      return insertion === undefined || insertion.state === 'Done' ? undefined : { task: taskUri(insertion.id) };
    },
  };
}

function wrong(parameter: string, why: string): RedfishError {
  const message = base('ActionParameterValueError', [parameter, INSERT], [`#/${parameter}`]);
  return new RedfishError(400, [{ ...message, Resolution: why }]);
}

function conflict(parameter: string, other: string): RedfishError {
  return new RedfishError(400, [base('ActionParameterValueConflict', [parameter, other], [`#/${parameter}`])]);
}

/** Ejecting an empty drive succeeds: clients eject before they insert. */
export function ejectMedia(media: VirtualMedia, drive: () => MediaDrive): Action {
  return {
    name: 'VirtualMedia.EjectMedia',
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

/** Maximum length of a URL. */
const MAX_URL = 2048;

const NO_UPLOAD = { Upload: 'The BMC accepts no uploads. Put the image on a web server and give its URL.' };
const WEB_ONLY = 'Images are imported by HTTP or HTTPS only.';

/** Parameters of an image, in InsertMedia and in PATCH. */
export const IMAGE_RULES = {
  Image: { kind: 'text', maxLength: MAX_URL },
  Inserted: { kind: 'flag', isNullable: true },
  WriteProtected: { kind: 'flag', isNullable: true },
  UserName: { kind: 'text', maxLength: 255, isNullable: true },
  Password: { kind: 'text', maxLength: 255, isNullable: true, isSecret: true },
  TransferMethod: { kind: 'word', words: ['Stream'], absent: NO_UPLOAD, isNullable: true },
  TransferProtocolType: {
    kind: 'word',
    words: ['HTTP', 'HTTPS'],
    absent: { NFS: WEB_ONLY, CIFS: WEB_ONLY },
    isNullable: true,
  },
} as const satisfies Record<string, Rule>;

/** Missing parameters have the schema's defaults: inserted and write-protected. */
export function imageOf(image: string, given: JsonObject): MediaImage {
  const { Inserted: inserted, WriteProtected: writeProtected, UserName: userName, Password: password } = given;
  return {
    image,
    isInserted: inserted !== false,
    isWriteProtected: writeProtected !== false,
    // Some clients send every field, also empty.
    ...(typeof userName === 'string' && userName !== '' ? { userName } : {}),
    ...(typeof password === 'string' && password !== '' ? { password } : {}),
  };
}

/** Whether the requested protocol differs from the one in the URL. */
export function namesOtherProtocol(image: string, protocol: unknown): boolean {
  if (typeof protocol !== 'string') return false;
  return !image.toLowerCase().startsWith(`${protocol.toLowerCase()}://`);
}
