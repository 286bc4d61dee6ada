import { MachineError, type MediaDrive, type VirtualMedia } from '../machine/index.ts';
import { type Caller, type Patch, type Resource, type Route, collection } from './resource.ts';
import { MANAGER, VIRTUAL_MEDIA } from './uris.ts';
import type { RedfishContext } from './context.ts';
import { dateTime, type JsonObject } from './json.ts';
import { ejectMedia, IMAGE_RULES, imageOf, insertMedia, namesOtherProtocol } from './media-actions.ts';
import { messageAbout, powerCycleNeeded } from './tasks.ts';
import { base, machineRefusal, RedfishError } from './messages.ts';

/** Scripts expect the drives under the Manager, as before VirtualMedia 1.4; both URIs show the same drives. */
const ALIAS = `${MANAGER}/VirtualMedia`;

/** The virtual media drives and their collection. */
export function mediaRoutes(context: RedfishContext): Route[] {
  const { media } = context.options.machine;
  const find = (id: string | undefined): Resource | undefined =>
    media.drives().some((drive) => drive.id === id) ? virtualMedia(media, id ?? '') : undefined;
  const drives = collection('VirtualMediaCollection', 'Virtual Media', () =>
    media.drives().map(({ id }) => ({ uri: `${VIRTUAL_MEDIA}/${id}`, resource: virtualMedia(media, id) })),
  );
  const all: Resource = { ...drives, read: async () => ({ '@odata.id': VIRTUAL_MEDIA, ...(await drives.read()) }) };
  return [VIRTUAL_MEDIA, ALIAS].flatMap((path): Route[] => [
    { path, find: () => all },
    { path: `${path}/{media}`, find: ({ media: id }) => find(id) },
  ]);
}

/** A drive of the machine (VirtualMedia). The image server's Password is never shown. */
function virtualMedia(media: VirtualMedia, id: string): Resource {
  const drive = (): MediaDrive => {
    const found = media.drives().find((candidate) => candidate.id === id);
    if (found === undefined) throw new Error(`there is no drive ${id}`);
    return found;
  };
  return {
    type: 'VirtualMedia.v1_6_5.VirtualMedia',
    read: () => propertiesOf(drive()),
    patch: patchMedia(media, drive),
    actions: [insertMedia(media, drive), ejectMedia(media, drive)],
  };
}

function propertiesOf(drive: MediaDrive): JsonObject {
  const { id, mediaTypes, image, isInserted, insertion } = drive;
  const url = image === undefined ? null : URL.parse(image);
  const kind = mediaTypes.includes('USBStick') ? 'USB stick' : 'CD';
  return {
    '@odata.id': `${VIRTUAL_MEDIA}/${id}`,
    Id: id,
    Name: `Virtual ${kind}`,
    Description: `A drive of the virtual machine for images that clients insert: the guest sees a ${kind}`,
    MediaTypes: mediaTypes,
    Image: image ?? null,
    ImageName: url === null ? null : nameOf(url),
    ConnectedVia: isInserted && insertion?.state !== 'Waiting' ? 'URI' : 'NotConnected',
    Inserted: isInserted,
    WriteProtected: drive.isWriteProtected,
    UserName: drive.userName ?? null,
    Password: null,
    TransferMethod: drive.transferMethod ?? null,
    TransferProtocolType: url === null ? null : url.protocol.slice(0, -1).toUpperCase(),
    VerifyCertificate: drive.verifiesCertificate,
    // An image stays through boots and power cycles until it is ejected.
    EjectPolicy: 'Persistent',
    Status: { State: 'Enabled', ...healthOf(drive) },
  };
}

/** A Condition if the guest does not get the image in the drive by itself. */
function healthOf({ image, insertion }: MediaDrive): JsonObject {
  if (image === undefined || (insertion?.state !== 'Failed' && insertion?.state !== 'Waiting')) return { Health: 'OK' };
  const { MessageId, Message, MessageArgs, Resolution } = messageAbout(insertion);
  const Timestamp = dateTime(insertion.endedAt ?? insertion.startedAt);
  return {
    Health: 'Warning',
    Conditions: [{ MessageId, Message, MessageArgs, Severity: 'Warning', Resolution, Timestamp }],
  };
}

/** The last segment of the path, or the host. */
function nameOf(url: URL): string {
  const last = url.pathname.split('/').findLast((part) => part !== '') ?? url.host;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Parameters that require an image. */
const OF_IMAGE = ['UserName', 'Password', 'TransferMethod', 'TransferProtocolType'] as const;

/**
 * Inserts and ejects like the actions, for clients that only set properties (VirtualMedia before 1.1). A CD is always
 * write-protected, and the owner decides whether certificates are verified.
 */
function patchMedia(media: VirtualMedia, drive: () => MediaDrive): Patch {
  const { WriteProtected: _, ...writable } = IMAGE_RULES;
  return {
    rules: { kind: 'object', properties: { ...writable, Image: { ...IMAGE_RULES.Image, isNullable: true } } },
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
  const { Image: image, Inserted: inserted } = changes;
  if (image === null || image === '') {
    if (inserted === true) throw conflict('Inserted', 'Image');
    return await media.eject(drive.id, requester);
  } else if (typeof image === 'string') {
    if (namesOtherProtocol(image, changes['TransferProtocolType'])) throw conflict('TransferProtocolType', 'Image');
    const isThere = [drive.image, drive.source].includes(image) && (inserted ?? true) === drive.isInserted;
    if (!isThere) await media.insert(drive.id, imageOf(image, changes), requester);
  } else if (inserted === false) {
    return await media.eject(drive.id, requester);
  } else if (inserted === true) {
    admitInserted(drive);
  } else {
    const name = OF_IMAGE.find((property) => changes[property] !== undefined && changes[property] !== null);
    if (name !== undefined && drive.image === undefined) throw conflict(name, 'Image');
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
