import type { MediaDrive, VirtualMedia } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../resource.ts';
import { VIRTUAL_MEDIA } from '../uris.ts';
import { ejectMedia } from './eject-media.ts';
import { insertMedia } from './insert-media.ts';
import { patchMedia } from './patch-media.ts';

/** A drive of the machine (VirtualMedia). The image server's Password is never shown. */
export function virtualMedia(media: VirtualMedia, id: string): Resource {
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
  return {
    '@odata.id': `${VIRTUAL_MEDIA}/${id}`,
    Id: id,
    Name: 'Virtual CD',
    Description: 'A CD drive of the virtual machine for images that clients insert',
    MediaTypes: mediaTypes,
    Image: image ?? null,
    ImageName: url === null ? null : nameOf(url),
    ConnectedVia: isInserted ? 'URI' : 'NotConnected',
    Inserted: isInserted,
    WriteProtected: drive.isWriteProtected,
    UserName: drive.userName ?? null,
    Password: null,
    TransferMethod: drive.transferMethod ?? null,
    TransferProtocolType: url === null ? null : url.protocol.slice(0, -1).toUpperCase(),
    VerifyCertificate: drive.verifiesCertificate,
    // An image stays through boots and power cycles until it is ejected.
    EjectPolicy: 'Persistent',
    Status: { State: 'Enabled', Health: image !== undefined && insertion?.state === 'Failed' ? 'Warning' : 'OK' },
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
