import type { ObjectMeta } from '@groundcrew/controller-runtime';
import type { JsonObject } from './json.ts';

export interface ManagedFieldsEntry extends JsonObject {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time?: string;
  fieldsType: 'FieldsV1';
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** Object metadata as it is stored: the server has set all that the API promises. */
export type Metadata = JsonObject &
  Omit<ObjectMeta, 'ownerReferences'> & {
    managedFields?: ManagedFieldsEntry[];
    ownerReferences?: (JsonObject & { apiVersion: string; kind: string; name: string; uid: string })[];
  };

/** Any object of the API. Stored ones are never changed in place: clone, change, store. */
export type ApiObject = JsonObject & { apiVersion: string; kind: string; metadata: Metadata };

/** `<namespace>/<name>`, or the name alone: orders a collection as etcd's keys do. */
export function keyOf(metadata: { namespace?: string; name: string }): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** An instant in the API's form: RFC 3339 in whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
