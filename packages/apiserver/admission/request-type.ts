import { BOOL, DYN, listOf, mapOf, STRING, type CelType } from '../schema/index.ts';

/** What match conditions know as `request`, as kube-apiserver declares it. */
export function requestType(): CelType {
  const kind = object('GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
  const resource = object('GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
  const userInfo = object('UserInfo', {
    username: STRING,
    uid: STRING,
    groups: listOf(STRING),
    extra: mapOf(STRING, listOf(STRING)),
  });
  return object('AdmissionRequest', {
    kind,
    resource,
    subResource: STRING,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: STRING,
    name: STRING,
    namespace: STRING,
    operation: STRING,
    userInfo,
    dryRun: BOOL,
    options: DYN,
  });
}

function object(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: 'object', name: `kubernetes.${name}`, fields: new Map(Object.entries(fields)) };
}
