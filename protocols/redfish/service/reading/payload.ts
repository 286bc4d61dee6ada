import { createHash } from 'node:crypto';
import type { JsonObject } from '../../json.ts';
import type { Resource } from '../../resource.ts';
import { ROOT } from '../../uris.ts';
import { actionsOf, type Found } from '../tree/index.ts';
import { withWriteableProperties } from './writeable-properties.ts';

/** A resource as GET answers it. */
export interface Payload {
  readonly properties: JsonObject;
  readonly text: string;
  /** With quotes, as in the header and `@odata.etag`; undefined: volatile. */
  readonly etag: string | undefined;
}

/**
 * Combines the resource's properties with the common ones. The ETag is a hash of the payload, so it changes only with the payload
 * and is the same in every process.
 *
 * @throws RedfishError
 */
export async function composePayload({ uri, resource }: Pick<Found, 'uri' | 'resource'>): Promise<Payload> {
  const said = resource.read();
  const bare = compose(uri, resource, said instanceof Promise ? await said : said);
  const text = JSON.stringify(bare);
  if (resource.isVolatile === true) return { properties: bare, text, etag: undefined };
  const etag = `"${createHash('sha256')
    .update(resource.revision ?? '')
    .update(text)
    .digest('base64url')
    .slice(0, 22)}"`;
  return {
    properties: { ...bare, '@odata.etag': etag },
    // Reuses the hashed text.
    text: `${text.slice(0, -1)},"@odata.etag":${JSON.stringify(etag)}}`,
    etag,
  };
}

/**
 * The canonical URI of a resource with several URIs.
 *
 * @throws RedfishError
 */
export async function ownUri({ uri, resource }: Pick<Found, 'uri' | 'resource'>): Promise<string> {
  return idOf(uri, await resource.read());
}

function compose(uri: string, resource: Resource, said: JsonObject): JsonObject {
  const members = said['Members'];
  const id = idOf(uri, said);
  return {
    '@odata.id': id,
    '@odata.type': `#${resource.type}`,
    ...(resource.patch === undefined ? said : withWriteableProperties(said, resource.patch.rules)),
    ...(Array.isArray(members) && { 'Members@odata.count': members.length }),
    ...(resource.actions !== undefined &&
      resource.actions.length > 0 && {
        Actions: { ...actionsOf(id, resource.actions), ...objectOf(said['Actions']) },
      }),
  };
}

function idOf(uri: string, said: JsonObject): string {
  const id = said['@odata.id'];
  return typeof id === 'string' ? id : canonical(uri);
}

/** Only the root has a trailing slash (DSP0266 §6.4). */
function canonical(uri: string): string {
  return uri === ROOT ? `${ROOT}/` : uri;
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
