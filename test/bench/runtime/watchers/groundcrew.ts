/** Follows all widgets with our runtime: `node groundcrew.ts KUBECONFIG [eager]`; eager: without back-off. */
import { CachedWatch, Controller, KubeClient, self, source, systemClock } from '@groundcrew/controller-runtime';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { WIDGETS } from '../widgets.ts';
import { readAccess } from './access.ts';
import { now, print, watchPauses } from './protocol.ts';

const [, , kubeconfig = '', eager] = process.argv;
const client = new KubeClient({ transport: undiciTransport(readAccess(kubeconfig)), fieldManager: 'bench' });
const common = { clock: systemClock, logger: silentLogger };
const pauses = watchPauses();
const started = performance.now();
const widgets = new CachedWatch({
  client,
  kind: WIDGETS,
  ...common,
  ...(eager === 'eager' ? { random: () => 0 } : {}),
});
const { signal } = new AbortController();
const running = widgets.run(signal);
await widgets.synced();
const milliseconds = performance.now() - started;
print({ report: 'synced', milliseconds, objects: widgets.list().length, pause: pauses() });
const controller = new Controller({
  name: 'widget',
  sources: [source(widgets, self)],
  workers: 1,
  reconcile: ({ name }) => {
    print({ report: 'seen', name, at: now() });
    return Promise.resolve();
  },
  ...common,
});
await Promise.all([running, controller.run(signal)]);
