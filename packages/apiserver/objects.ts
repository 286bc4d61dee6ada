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

/** Object metadata as stored, with all fields that the server sets. */
export type Metadata = JsonObject &
  Omit<ObjectMeta, 'ownerReferences'> & {
    managedFields?: ManagedFieldsEntry[];
    ownerReferences?: (JsonObject & { apiVersion: string; kind: string; name: string; uid: string })[];
  };

/** Any API object. Never change a stored object in place: clone, change, store. */
export type ApiObject = JsonObject & { apiVersion: string; kind: string; metadata: Metadata };

/** `<namespace>/<name>`, or the name of a cluster-scoped object. Sorts like etcd's keys. */
export function keyOf(metadata: { namespace?: string; name: string }): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** A metav1.Time: RFC 3339 with whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
