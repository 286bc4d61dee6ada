import { join } from 'node:path';
import { findTool, installTools } from '../../tools/index.ts';
import { OURS } from '../measurement.ts';
import { bundleScript, imageNodeOptions } from './image.ts';
import { WIDGETS } from './widgets.ts';
import { Watcher } from './watcher.ts';

/** Something that follows all widgets of a cluster. */
export interface WatcherKind {
  name: typeof OURS | 'client-node' | 'client-go';
  /** `eager`: ours comes back at once after a break, without its back-off. */
  start: (kubeconfig: string, eager?: 'eager') => Watcher;
}

/** Ours, and the peers that this machine can run; `leftOut` has a line for each other one. */
export async function findWatchers(
  folder: string,
  progress: (line: string) => void,
): Promise<{ watchers: WatcherKind[]; leftOut: string[] }> {
  const watchers = [await nodeWatcher(OURS, folder), await nodeWatcher('client-node', folder)];
  try {
    await installTools(['informer'], progress);
  } catch (error) {
    return { watchers, leftOut: [`client-go was left out: ${String(error)}`] };
  }
  const informer = findTool('informer');
  if (informer === undefined) throw new Error('the informer was built and is not there');
  const { group, version, plural } = WIDGETS;
  const start = (kubeconfig: string) => new Watcher(informer, [kubeconfig, group, version, plural]);
  return { watchers: [...watchers, { name: 'client-go', start }], leftOut: [] };
}

/** A script of `watchers`, bundled, under the Node options of the image. */
async function nodeWatcher(name: typeof OURS | 'client-node', folder: string): Promise<WatcherKind> {
  const bundle = await bundleScript(join(import.meta.dirname, 'watchers', `${name}.ts`), folder);
  const options = imageNodeOptions();
  return {
    name,
    start: (kubeconfig, eager) =>
      new Watcher(process.execPath, [...options, bundle, kubeconfig, ...(eager === undefined ? [] : [eager])]),
  };
}
