import { at, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';
import { ageColumn, column, items, wide } from './column.ts';

const ROLE = 'node-role.kubernetes.io/';

/** Columns of `kubectl get nodes`. */
export const nodeColumns: Column[] = [
  column('Status', status),
  column('Roles', roles),
  ageColumn,
  column('Version', (node) => at(node, 'status', 'nodeInfo', 'kubeletVersion')),
  wide('Internal-IP', (node) => address(node, 'InternalIP')),
  wide('External-IP', (node) => address(node, 'ExternalIP')),
  wide('OS-Image', (node) => info(node, 'osImage')),
  wide('Kernel-Version', (node) => info(node, 'kernelVersion')),
  wide('Container-Runtime', (node) => info(node, 'containerRuntimeVersion')),
];

function status(node: ApiObject): string {
  const ready = items(node, 'status', 'conditions').find(({ type }) => type === 'Ready');
  const text = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${text},SchedulingDisabled` : text;
}

function roles({ metadata: { labels = {} } }: ApiObject): string {
  const found = Object.keys(labels)
    .filter((key) => key.startsWith(ROLE))
    .map((key) => key.slice(ROLE.length));
  const legacy = labels['kubernetes.io/role'] ?? '';
  return (
    [...new Set([...found, legacy])]
      .filter((role) => role !== '')
      .sort()
      .join(',') || '<none>'
  );
}

function address(node: ApiObject, type: string): string {
  return textOr(items(node, 'status', 'addresses').find((other) => other['type'] === type)?.['address']) || '<none>';
}

function info(node: ApiObject, key: string): string {
  return textOr(at(node, 'status', 'nodeInfo', key)) || '<unknown>';
}
