import { isObject, textOr, type JsonObject } from '../json.ts';
import { apiVersionOf } from '../resources/index.ts';
import type { GroupVersionKind, RequestBody } from '../rest/index.ts';
import { badRequest } from '../status.ts';

/** The body of a create of what is not stored, which may leave out its kind. Throws 400 and 415. */
export function decodeVirtual(body: RequestBody, { group, version, kind }: GroupVersionKind): JsonObject {
  const value = body.value(kind) ?? {};
  if (!isObject(value)) throw body.unrecognized(kind, 'json: cannot unmarshal into Go value');
  const wanted = apiVersionOf({ group, version });
  const object: JsonObject = { ...value, kind: value['kind'] ?? kind, apiVersion: value['apiVersion'] ?? wanted };
  const given = { kind: textOr(object['kind']), apiVersion: textOr(object['apiVersion']) };
  if (given.kind === kind && given.apiVersion === wanted) return object;
  const givenVersion = given.apiVersion.slice(given.apiVersion.indexOf('/') + 1);
  const conversion = `converting (${givenVersion}.${given.kind}) to (${group.split('.')[0] ?? ''}.${kind}): unknown conversion`;
  throw badRequest(
    `${given.kind} in version ${JSON.stringify(givenVersion)} cannot be handled as a ${kind}: ${conversion}`,
  );
}
