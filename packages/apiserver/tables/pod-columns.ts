import { arrayOr, at, isObject, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';
import { age, ageColumn, column, items, wide } from './column.ts';

/** The columns of `kubectl get pods`, like printPod of kube-apiserver. */
export const podColumns: Column[] = [
  column('Ready', (pod) => {
    const { ready, total } = summarize(pod);
    return `${ready}/${total}`;
  }),
  column('Status', statusText),
  column('Restarts', (pod, now) => {
    const { restarts, lastRestart } = summarize(pod);
    return restarts === 0 || lastRestart === '' ? String(restarts) : `${restarts} (${age(lastRestart, now)} ago)`;
  }),
  ageColumn,
  wide('IP', (pod) => textOr(at(arrayOr(at(pod, 'status', 'podIPs'))[0], 'ip')) || '<none>'),
  wide('Node', (pod) => textOr(at(pod, 'spec', 'nodeName')) || '<none>'),
  wide('Nominated Node', (pod) => textOr(at(pod, 'status', 'nominatedNodeName')) || '<none>'),
  wide('Readiness Gates', readinessGates),
];

/** The row condition of a completed Pod, so that clients can hide the row. */
export function completion(pod: ApiObject): JsonObject[] {
  const messages: Record<string, string> = {
    Succeeded: 'The pod has completed successfully.',
    Failed: 'The pod failed.',
  };
  const reason = textOr(at(pod, 'status', 'phase'));
  const message = messages[reason];
  return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason, message }];
}

interface Summary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  /** RFC 3339; '' if no container has restarted. */
  lastRestart: string;
}

/** Summarizes the states of the containers. */
function summarize(pod: ApiObject): Summary {
  const phase = textOr(at(pod, 'status', 'phase'));
  const isGated = items(pod, 'status', 'conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  const summary: Summary = {
    reason: isGated ? 'SchedulingGated' : textOr(at(pod, 'status', 'reason')) || phase,
    ready: 0,
    total: arrayOr(at(pod, 'spec', 'containers')).length,
    restarts: 0,
    lastRestart: '',
  };
  const initializing = initializationOf(pod);
  if (initializing !== undefined && !isTrue(pod, 'Initialized')) {
    for (const status of items(pod, 'status', 'initContainerStatuses')) addRestarts(summary, status);
    return { ...summary, reason: initializing };
  }
  addContainers(summary, pod);
  return summary;
}

function addContainers(summary: Summary, pod: ApiObject): void {
  let hasRunning = false;
  for (const status of items(pod, 'status', 'containerStatuses').reverse()) {
    addRestarts(summary, status);
    const waiting = textOr(at(status, 'state', 'waiting', 'reason'));
    const terminated = at(status, 'state', 'terminated');
    if (waiting !== '') summary.reason = waiting;
    else if (isObject(terminated)) summary.reason = terminationText(terminated);
    else if (status['ready'] === true && isObject(at(status, 'state', 'running'))) {
      hasRunning = true;
      summary.ready += 1;
    }
  }
  if (summary.reason === 'Completed' && hasRunning) summary.reason = isTrue(pod, 'Ready') ? 'Running' : 'NotReady';
}

/** The reason of the first init container that has not succeeded; undefined if all have. */
function initializationOf(pod: ApiObject): string | undefined {
  const statuses = items(pod, 'status', 'initContainerStatuses');
  const index = statuses.findIndex((status) => at(status, 'state', 'terminated', 'exitCode') !== 0);
  const state = at(statuses[index], 'state');
  if (index === -1) return undefined;
  const waiting = textOr(at(state, 'waiting', 'reason'));
  const terminated = at(state, 'terminated');
  if (isObject(terminated)) return `Init:${terminationText(terminated)}`;
  if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${index}/${arrayOr(at(pod, 'spec', 'initContainers')).length}`;
}

function addRestarts(summary: Summary, status: JsonObject): void {
  summary.restarts += Number(status['restartCount'] ?? 0);
  const finished = textOr(at(status, 'lastState', 'terminated', 'finishedAt'));
  if (finished > summary.lastRestart) summary.lastRestart = finished;
}

function statusText(pod: ApiObject): string {
  const { reason } = summarize(pod);
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (at(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const isOver = ['Succeeded', 'Failed'].includes(textOr(at(pod, 'status', 'phase')));
  return isOver ? reason : 'Terminating';
}

function terminationText({ reason, signal, exitCode }: JsonObject): string {
  if (textOr(reason) !== '') return textOr(reason);
  return typeof signal === 'number' && signal !== 0 ? `Signal:${signal}` : `ExitCode:${Number(exitCode ?? 0)}`;
}

function readinessGates(pod: ApiObject): string {
  const gates = items(pod, 'spec', 'readinessGates').map(({ conditionType }) => textOr(conditionType));
  return gates.length === 0 ? '<none>' : `${gates.filter((type) => isTrue(pod, type)).length}/${gates.length}`;
}

function isTrue(pod: ApiObject, condition: string): boolean {
  return items(pod, 'status', 'conditions').some(({ type, status }) => type === condition && status === 'True');
}
