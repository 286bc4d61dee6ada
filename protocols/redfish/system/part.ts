import { collection } from '../collection.ts';
import type { Resource, Route } from '../resource.ts';

/** A member of a collection. */
export interface Part {
  readonly id: string;
  readonly resource: Resource;
}

/**
 * A collection and its members, which are listed for each request.
 *
 * @param schema of the collection: `ProcessorCollection`
 */
export function partRoutes(uri: string, schema: string, name: string, parts: () => readonly Part[]): Route[] {
  return [
    collectionRoute(uri, schema, name, parts),
    { path: `${uri}/{part}`, find: ({ part }) => parts().find(({ id }) => id === part)?.resource },
  ];
}

/** A collection of one member, `1`, with subordinate resources. */
export function singleRoutes(uri: string, schema: string, name: string, find: () => Resource): Route[] {
  return [collectionRoute(uri, schema, name, () => [{ id: '1', resource: find() }]), { path: `${uri}/1`, find }];
}

/** URI of a member; IDs come from the machine's configuration. */
export function partUri(collectionUri: string, id: string): string {
  return `${collectionUri}/${encodeURIComponent(id)}`;
}

function collectionRoute(uri: string, schema: string, name: string, parts: () => readonly Part[]): Route {
  const members = (): { uri: string; resource: Resource }[] =>
    parts().map(({ id, resource }) => ({ uri: partUri(uri, id), resource }));
  return { path: uri, find: () => collection(schema, name, members) };
}
