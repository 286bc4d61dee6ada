import { at, textOr, type Json } from '../json.ts';
import type { ApiObject } from '../objects.ts';

type Fields = Readonly<Record<string, (object: ApiObject) => string>>;

const BOOLEANS = new Set(['spec.unschedulable', 'spec.hostNetwork']);

/** By their path, the fields that objects of a kind can be selected by, beside name and namespace. */
export const SELECTABLE_FIELDS: Readonly<Record<string, Fields>> = {
  '/pods': {
    ...fields(
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ),
    'spec.host': (pod) => textOr(at(pod, 'spec', 'nodeName')),
    // Known, and never set: a list by it is empty.
    'status.podIPs': () => '',
  },
  '/nodes': fields('spec.unschedulable'),
  '/namespaces': fields('status.phase'),
  '/secrets': fields('type'),
  '/services': fields('spec.clusterIP', 'spec.type'),
  '/events': {
    ...fields(
      'involvedObject.kind',
      'involvedObject.namespace',
      'involvedObject.name',
      'involvedObject.uid',
      'involvedObject.apiVersion',
      'involvedObject.resourceVersion',
      'involvedObject.fieldPath',
      'reason',
      'reportingComponent',
      'type',
    ),
    source: (event) => textOr(at(event, 'source', 'component')) || textOr(event['reportingComponent']),
  },
};

function fields(...paths: string[]): Fields {
  return Object.fromEntries(
    paths.map((path) => [path, (object: ApiObject) => textOf(at(object, ...path.split('.')), BOOLEANS.has(path))]),
  );
}

function textOf(value: Json | undefined, isBoolean: boolean): string {
  if (value === undefined || value === null) return isBoolean ? 'false' : '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
