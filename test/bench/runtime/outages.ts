import { setTimeout as pause } from 'node:timers/promises';
import { Relay } from './relay.ts';
import { OURS, type Measurement } from '../measurement.ts';
import type { WatcherKind } from './contenders.ts';
import { reactionTime } from './reaction-time.ts';
import type { Stage } from './stage.ts';

const RECONNECTS = 100;
const OUTAGES = 5;
/** Milliseconds; long enough for the back-off to have grown. */
const OUTAGE = 10_000;

/** Breaks the connection again and again, and counts the sockets that are left over. */
export async function measureReconnects(stage: Stage, { start }: WatcherKind): Promise<Measurement[]> {
  stage.progress(`${RECONNECTS} reconnects`);
  const relay = await Relay.start(Number(new URL(stage.plane.server).port));
  const watcher = start(stage.kubeconfig(relay.url), 'eager');
  try {
    await watcher.synced();
    await reactionTime(stage, watcher, 'reconnect-before');
    const before = watcher.sockets;
    for (let index = 0; index < RECONNECTS; index += 1) {
      await relay.interrupt();
      await relay.listen();
      await reactionTime(stage, watcher, `reconnect-${index}`);
    }
    const values = [watcher.sockets - before];
    return [{ what: `sockets more after ${RECONNECTS} reconnects`, server: OURS, unit: 'sockets', values, goal: 0 }];
  } finally {
    await watcher.close();
    await relay.close();
  }
}

/** Kills the API server, and waits for the first event after it is back. */
export async function measureRecovery(stage: Stage, { start }: WatcherKind): Promise<Measurement[]> {
  const watcher = start(stage.kubeconfig());
  const values: number[] = [];
  try {
    await watcher.synced();
    for (let outage = 0; outage < OUTAGES; outage += 1) {
      stage.progress(`outage ${outage + 1} of ${OUTAGES}`);
      await stage.plane.killApiServer();
      await pause(OUTAGE);
      await stage.plane.startApiServer();
      values.push(await reactionTime(stage, watcher, `outage-${outage}`));
    }
  } finally {
    await watcher.close();
  }
  const what = `API server killed for ${OUTAGE / 1000} s: from its readiness to the reconcile of what is created then`;
  return [{ what, server: OURS, unit: 'ms', values, goal: 15_000 }];
}
