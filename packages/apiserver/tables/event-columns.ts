import { at, isObject, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';
import { age } from './age.ts';
import { column, nameColumn, wide } from './column.ts';

/** Columns of `kubectl get events`. An event's name says little: it comes last, in wide output. */
export const eventColumns: Column[] = [
  column('Last Seen', (event, now) => age(lastSeen(event), now)),
  column('Type', (event) => event['type']),
  column('Reason', (event) => event['reason']),
  column('Object', target),
  wide('Subobject', (event) => at(event, 'involvedObject', 'fieldPath')),
  wide('Source', source),
  column('Message', (event) => textOr(event['message']).trim()),
  wide('First Seen', (event, now) => age(event['firstTimestamp'] ?? event['eventTime'], now)),
  wide('Count', (event) => at(event, 'series', 'count') ?? (Number(event['count'] ?? 0) || 1)),
  { ...nameColumn, priority: 1 },
];

function lastSeen(event: ApiObject): unknown {
  if (isObject(event['series'])) return at(event, 'series', 'lastObservedTime');
  return event['lastTimestamp'] ?? event['firstTimestamp'] ?? event['eventTime'];
}

function target(event: ApiObject): string {
  const name = textOr(at(event, 'involvedObject', 'name'));
  const kind = textOr(at(event, 'involvedObject', 'kind')).toLowerCase();
  return name === '' ? kind : `${kind}/${name}`;
}

function source(event: ApiObject): string {
  const component = textOr(at(event, 'source', 'component')) || textOr(event['reportingComponent']);
  const instance = textOr(at(event, 'source', 'host')) || textOr(event['reportingInstance']);
  return instance === '' ? component : `${component}, ${instance}`;
}
