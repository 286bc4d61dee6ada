import { join } from 'node:path';
import { findTool, installTools } from '../../tools/index.ts';
import { OURS } from '../measurement.ts';
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
  progress: (line: string) => void,
): Promise<{ watchers: WatcherKind[]; leftOut: string[] }> {
  const script = (name: typeof OURS | 'client-node'): WatcherKind => ({
    name,
    start: (kubeconfig, ...eager) =>
      new Watcher(process.execPath, [join(import.meta.dirname, 'watchers', `${name}.ts`), kubeconfig, ...eager]),
  });
  const watchers = [script(OURS), script('client-node')];
  try {
    await installTools(['informer'], progress);
  } catch (error) {
    return { watchers, leftOut: [`client-go was left out: ${String(error)}`] };
  }
  const informer = findTool('informer');
  if (informer === undefined) throw new Error('the informer was built and is not there');
  const { group, version, plural } = WIDGETS;
  const goInformer: WatcherKind = {
    name: 'client-go',
    start: (kubeconfig) => new Watcher(informer, [kubeconfig, group, version, plural]),
  };
  return { watchers: [...watchers, goInformer], leftOut: [] };
}
