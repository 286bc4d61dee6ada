import { collection } from '../collection.ts';
import type { RedfishContext } from '../context.ts';
import type { Resource, Route } from '../resource.ts';
import { MANAGER, VIRTUAL_MEDIA } from '../uris.ts';
import { virtualMedia } from './virtual-media.ts';

/** Scripts know the drives under the Manager, where they stood before VirtualMedia 1.4; they are the same ones. */
const ALIAS = `${MANAGER}/VirtualMedia`;

/** The drives for virtual media, and the collection of them. */
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
