import type { Section } from '../section.ts';
import { OURS } from '../measurement.ts';
import { findWatchers } from './contenders.ts';
import { measureLatency } from './latency.ts';
import { measureManager } from './manager-scale.ts';
import { measureReconnects, measureRecovery } from './outages.ts';
import { Stage } from './stage.ts';
import { measureSync } from './sync.ts';
import { createWidgets, installWidgets, OBJECTS } from './widgets.ts';

/** The runtime of the control loops, and the manager that runs on it, on a real kube-apiserver. */
export async function measureRuntime(progress: (line: string) => void): Promise<Section> {
  const stage = await Stage.open(progress);
  try {
    const { watchers, leftOut } = await findWatchers(stage.folder, progress);
    const ours = watchers.find(({ name }) => name === OURS);
    if (ours === undefined) throw new Error('ours takes part');
    const manager = await measureManager(stage);
    progress(`${OBJECTS} widgets are made`);
    await installWidgets(stage.client);
    await createWidgets(stage.client, stage.namespace, 'stock', OBJECTS);
    const following = [
      ...(await measureSync(stage, watchers)),
      ...(await measureLatency(stage, watchers)),
      ...(await measureReconnects(stage, ours)),
      ...(await measureRecovery(stage, ours)),
    ];
    return { title: 'Runtime', introduction: INTRODUCTION, inputs: leftOut, measurements: [...following, ...manager] };
  } finally {
    await stage.close();
  }
}

const INTRODUCTION = [
  '- On kube-apiserver 1.34.4 and etcd, which share the two cores with what is measured. Each contender is a process of its',
  '  own that follows all custom resources of one kind; memory is what Linux says of it. Those on Node are bundled and have',
  '  the options that the image gives to Node.',
  '- groundcrew: `CachedWatch` and `Controller` of `@groundcrew/controller-runtime`, over undici.',
  '- client-node: the informer of @kubernetes/client-node 2.0.1. It has no work queue: its handler is its reconcile.',
  '- client-go: the dynamic informer and the work queue of client-go 0.34.4, which Go controllers are made of.',
  '- VirtualMachineBMCs, each with a Secret of its own: the manager as the image runs it, under the permissions of the chart;',
  '  nothing runs Deployments, so agents do not start. Requests are all that it sends until it is quiet, by its own metrics.',
];
