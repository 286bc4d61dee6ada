import type { Stage } from './stage.ts';
import type { Watcher } from './watcher.ts';
import { now } from './watchers/protocol.ts';
import { aWidget, WIDGETS } from './widgets.ts';

/** Milliseconds from the request that creates a widget to the watcher's look at it. */
export async function reactionTime({ client, namespace }: Stage, watcher: Watcher, name: string): Promise<number> {
  const asked = now();
  await client.create(WIDGETS, aWidget(namespace, name));
  return (await watcher.seen(name)) - asked;
}
