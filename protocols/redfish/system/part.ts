import { collection, type Resource, type Route } from '../resource.ts';
import { CHASSIS, SYSTEM } from '../uris.ts';
import type { JsonObject } from '../json.ts';

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

/** A collection of one member, which may have subordinate resources. */
export function singleRoutes(uri: string, schema: string, name: string, find: () => Resource, id = '1'): Route[] {
  return [collectionRoute(uri, schema, name, () => [{ id, resource: find() }]), { path: `${uri}/${id}`, find }];
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

/** Status of permanent parts, running or not. No faults are reported for them. */
export const WELL = { State: 'Enabled', Health: 'OK' } satisfies JsonObject;

/** URIs of the collections. */
export const BIOS = `${SYSTEM}/Bios`;
export const BOOT_OPTIONS = `${SYSTEM}/BootOptions`;
/** The schema places drives under the chassis. */
export const DRIVES = `${CHASSIS}/Drives`;
export const ETHERNET_INTERFACES = `${SYSTEM}/EthernetInterfaces`;
export const MEMORY = `${SYSTEM}/Memory`;
export const PROCESSORS = `${SYSTEM}/Processors`;
export const SECURE_BOOT = `${SYSTEM}/SecureBoot`;
export const SIMPLE_STORAGE = `${SYSTEM}/SimpleStorage`;
export const STORAGE = `${SYSTEM}/Storage`;
/** The schema places them under the chassis. */
export const TRUSTED_COMPONENTS = `${CHASSIS}/TrustedComponents`;
