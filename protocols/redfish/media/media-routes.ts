import { collection } from '../collection.ts';
import type { RedfishContext } from '../context.ts';
import type { Resource, Route } from '../resource.ts';
import { MANAGER, VIRTUAL_MEDIA } from '../uris.ts';
import { virtualMedia } from './virtual-media.ts';

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
