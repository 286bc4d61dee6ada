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
  /** With its quotes, as the header and `@odata.etag` have it; undefined: it changes by itself. */
  readonly etag: string | undefined;
}

/**
 * Puts together what the resource says and what all resources have. The ETag is made of all that is sent, so that it changes when
 * that does and stays as it is otherwise, also from one process to the next.
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
    // What was hashed is not made into text a second time.
    text: `${text.slice(0, -1)},"@odata.etag":${JSON.stringify(etag)}}`,
    etag,
  };
}

/**
 * Where a resource that can be asked for at several places says that it stands.
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

/** The root alone is written with a slash at its end (DSP0266 §6.4). */
function canonical(uri: string): string {
  return uri === ROOT ? `${ROOT}/` : uri;
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
