/** Follows all widgets with the informer of @kubernetes/client-node: `node client-node.ts KUBECONFIG`. */
import {
  ADD,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  UPDATE,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { collectionPath } from '@groundcrew/controller-runtime';
import { WIDGETS } from '../widgets.ts';
import { now, print, watchPauses } from './protocol.ts';

const config = new KubeConfig();
config.loadFromFile(process.argv[2] ?? '');
const api = config.makeApiClient(CustomObjectsApi);
const pauses = watchPauses();
const started = performance.now();
const { group, version, plural } = WIDGETS;
const informer = makeInformer(config, collectionPath(WIDGETS), async () => {
  // The API's type for custom resources is `any`.
  const list: unknown = await api.listClusterCustomObject({ group, version, plural });
  return list as KubernetesListObject<KubernetesObject>;
});
const seen = ({ metadata }: KubernetesObject): void => {
  print({ report: 'seen', name: metadata?.name ?? '', at: now() });
};
await informer.start();
print({
  report: 'synced',
  milliseconds: performance.now() - started,
  objects: informer.list().length,
  pause: pauses(),
});
informer.on(ADD, seen);
informer.on(UPDATE, seen);
