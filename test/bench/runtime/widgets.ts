import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { eventually } from '../../harness/eventually.ts';

export interface Widget extends KubeObject {
  spec: Record<string, unknown>;
}

export const WIDGETS: Kind<Widget> = {
  group: 'bench.groundcrew.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

/** Bytes of JSON of one widget as the server stores it, metadata included. */
const WIDGET_SIZE = 2700;
/** How many there are while it is measured. */
export const OBJECTS = 10_000;
const IN_FLIGHT = 16;

/** Defines the kind and waits until it is served. */
export async function installWidgets(client: KubeClient): Promise<void> {
  const { group, version, kind, plural } = WIDGETS;
  await client.apply(CUSTOM_RESOURCE_DEFINITIONS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: 'widget', listKind: 'WidgetList' },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          },
        },
      ],
    },
  });
  await eventually(() => client.list(WIDGETS, { limit: 1 }));
}

/** Creates widgets `<prefix>-0` to `<prefix>-<count - 1>`. */
export async function createWidgets(
  client: KubeClient,
  namespace: string,
  prefix: string,
  count: number,
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`).values();
  const create = async (): Promise<void> => {
    for (const name of names) await client.create(WIDGETS, aWidget(namespace, name));
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, create));
}

/** One widget of about `WIDGET_SIZE` bytes: many small fields, as resources have, not one long text. */
export function aWidget(namespace: string, name: string): Widget {
  const entries = Array.from({ length: 24 }, (_, index) => ({
    name: `entry-${index}`,
    address: `10.${index}.0.${index}`,
    enabled: index % 2 === 0,
    weight: index,
  }));
  const widget = {
    apiVersion: 'bench.groundcrew.dev/v1',
    kind: 'Widget',
    metadata: { namespace, name, labels: { app: 'bench', part: name } },
    spec: { entries, note: '' },
  };
  // What the server adds: UID, times, versions and the field manager's entry.
  const added = 500;
  widget.spec.note = 'x'.repeat(Math.max(0, WIDGET_SIZE - added - JSON.stringify(widget).length));
  return widget;
}
