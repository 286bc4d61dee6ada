import { stringify } from 'yaml';
import { VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES } from '../../api/index.ts';
import {
  DEPLOYMENTS,
  EVENTS,
  PODS,
  SERVICES,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';

const KINDS: Kind<KubeObject>[] = [
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  VIRTUAL_MACHINE_INSTANCES,
  DEPLOYMENTS,
  PODS,
  SERVICES,
];

/** Objects, events and pod logs of the namespaces as text; unreadable resources are listed. */
export async function describeNamespaces(client: KubeClient, namespaces: readonly string[]): Promise<string> {
  const sections: string[] = [];
  for (const namespace of namespaces) {
    for (const kind of KINDS) {
      sections.push(...(await attempt(`${kind.kind} in ${namespace}`, () => objects(client, kind, namespace))));
    }
    sections.push(...(await attempt(`events in ${namespace}`, () => events(client, namespace))));
    sections.push(...(await attempt(`pod logs in ${namespace}`, () => podLogs(client, namespace))));
  }
  return sections.join('\n');
}

async function attempt(what: string, read: () => Promise<string[]>): Promise<string[]> {
  try {
    const texts = await read();
    return texts.length === 0 ? [] : [`--- ${what}`, ...texts];
  } catch (error) {
    return [`--- ${what}: ${String(error)}`];
  }
}

async function objects(client: KubeClient, kind: Kind<KubeObject>, namespace: string): Promise<string[]> {
  const { items } = await client.list(kind, { namespace });
  return items.map((object) => {
    const metadata: Record<string, unknown> = { ...object.metadata };
    delete metadata['managedFields'];
    return stringify({ ...object, metadata });
  });
}

async function events(client: KubeClient, namespace: string): Promise<string[]> {
  const { items } = await client.list(EVENTS, { namespace });
  return items.map(
    ({ type, reason, involvedObject, count, message }) =>
      `${type ?? ''} ${reason ?? ''} ${involvedObject.kind ?? ''}/${involvedObject.name ?? ''} x${count ?? 1}: ${message ?? ''}`,
  );
}

async function podLogs(client: KubeClient, namespace: string): Promise<string[]> {
  // Guests' launchers are not processes and have no log.
  const { items } = await client.list(PODS, { namespace, labelSelector: 'kubevirt.io!=virt-launcher' });
  return await Promise.all(
    items.map(async ({ metadata }) => {
      const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}/log?tailLines=100`;
      const log = await client.request({ method: 'GET', path }).catch((error: unknown) => String(error));
      return `${metadata.name}:\n${typeof log === 'string' ? log : JSON.stringify(log)}`;
    }),
  );
}
