import { at, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';

type Fields = Readonly<Record<string, (object: ApiObject) => string>>;

/** By their path, the fields that objects of a kind can be selected by, beside name and namespace. */
export const SELECTABLE_FIELDS: Readonly<Record<string, Fields>> = {
  '/pods': fields('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'spec.hostNetwork', 'status.phase', 'status.podIP', 'status.nominatedNodeName'),
  '/nodes': fields('spec.unschedulable'),
  '/namespaces': fields('status.phase'),
  '/secrets': fields('type'),
  '/services': fields('spec.clusterIP', 'spec.type'),
  '/events': {
    ...fields(
      'involvedObject.kind', 'involvedObject.namespace', 'involvedObject.name', 'involvedObject.uid', 'involvedObject.apiVersion',
      'involvedObject.resourceVersion', 'involvedObject.fieldPath', 'reason', 'reportingComponent', 'type',
    ),
    source: (event) => textOr(at(event, 'source', 'component')) || textOr(event['reportingComponent']),
  },
  'apps/replicasets': fields('status.replicas'),
};

function fields(...paths: string[]): Fields {
  return Object.fromEntries(
    paths.map((path) => [path, (object: ApiObject) => {
      const value = at(object, ...path.split('.'));
      return value === undefined || value === null ? (path === 'spec.unschedulable' || path === 'spec.hostNetwork' ? 'false' : '') : String(value as string | number | boolean);
    }]),
  );
}
