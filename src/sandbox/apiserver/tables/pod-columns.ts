import { arrayOr, at, isObject, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';
import { age } from './age.ts';

/** Columns of `kubectl get pods`, after those of kube-apiserver's printer. */
export function podColumns(ageColumn: Column): Column[] {
  const text = (name: string, cell: Column['cell']): Column => ({ name, type: 'string', cell });
  const wide = (name: string, cell: (pod: ApiObject) => string): Column => ({
    name,
    type: 'string',
    priority: 1,
    cell: (pod) => cell(pod) || '<none>',
  });
  return [
    text('Ready', (pod) => {
      const ready = statuses(pod).filter((status) => status['ready'] === true).length;
      return `${ready}/${arrayOr(at(pod, 'spec', 'containers')).length}`;
    }),
    text('Status', statusText),
    text('Restarts', restarts),
    ageColumn,
    wide('IP', (pod) => textOr(at(pod, 'status', 'podIP'))),
    wide('Node', (pod) => textOr(at(pod, 'spec', 'nodeName'))),
    wide('Nominated Node', (pod) => textOr(at(pod, 'status', 'nominatedNodeName'))),
    wide('Readiness Gates', () => ''),
  ];
}

function statuses(pod: ApiObject): JsonObject[] {
  return arrayOr(at(pod, 'status', 'containerStatuses')).filter(isObject);
}

/** The most telling reason: what a container waits for or died of, else the pod's phase. */
function statusText(pod: ApiObject): string {
  let reason = textOr(at(pod, 'status', 'reason')) || textOr(at(pod, 'status', 'phase'));
  for (const { state } of statuses(pod).reverse()) {
    const waiting = textOr(at(state, 'waiting', 'reason'));
    const terminated = at(state, 'terminated');
    if (waiting !== '') reason = waiting;
    else if (isObject(terminated)) reason = textOr(terminated['reason']) || terminationText(terminated);
  }
  return pod.metadata.deletionTimestamp === undefined ? reason : 'Terminating';
}

function terminationText({ signal, exitCode }: JsonObject): string {
  return typeof signal === 'number' && signal !== 0 ? `Signal:${signal}` : `ExitCode:${Number(exitCode ?? 0)}`;
}

function restarts(pod: ApiObject, now: number): string {
  let count = 0;
  let last = '';
  for (const status of statuses(pod)) {
    count += Number(status['restartCount'] ?? 0);
    const finished = textOr(at(status, 'lastState', 'terminated', 'finishedAt'));
    if (finished > last) last = finished;
  }
  return last === '' ? String(count) : `${count} (${age(last, now)} ago)`;
}
