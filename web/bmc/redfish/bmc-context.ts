import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import type { Client } from './client.ts';
import type { ResourceStore, Snapshot } from './resource-store.ts';
import { type Deed, refusalOf } from './rights.ts';

export interface Bmc {
  readonly client: Client;
  readonly store: ResourceStore;
  /** Changes arrive by themselves; else shown resources are read again now and then. */
  readonly isLive: boolean;
  readonly boot: AwaitedBoot;
}

/** A boot that waits for an import. It belongs to the session, so the reader may go to other pages meanwhile. */
export interface AwaitedBoot {
  /** URI of the import's Task; undefined: no boot waits. */
  readonly task: string | undefined;
  /** Boots after this import in place of another; undefined: boots after no import. */
  await(task: string | undefined): void;
}

export const BmcContext = createContext<Bmc | undefined>(undefined);

export function useBmc(): Bmc {
  const bmc = useContext(BmcContext);
  if (bmc === undefined) throw new Error('this component needs a session');
  return bmc;
}

export interface Shown<Body> extends Snapshot<Body> {
  readonly refresh: () => Promise<void>;
}

/** ms between two reads of a shown resource, if changes do not arrive by themselves. */
const POLL = 5_000;

/**
 * A resource of the BMC, read again when it changes.
 *
 * @param options.every ms between two reads also while changes arrive: for what has no events
 */
export function useResource<Body>(uri: string, options: { every?: number | undefined } = {}): Shown<Body> {
  const { store, isLive } = useBmc();
  const [, setCount] = useState(0);
  const every = options.every ?? (isLive ? undefined : POLL);
  useEffect(() => {
    const end = store.watch(uri, () => {
      setCount((count) => count + 1);
    });
    void store.refresh(uri);
    return end;
  }, [store, uri]);
  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) void store.refresh(uri);
    }, every);
    return () => {
      clearInterval(timer);
    };
  }, [store, uri, every]);
  const refresh = useCallback(async () => {
    await store.refresh(uri);
  }, [store, uri]);
  return { ...store.snapshot<Body>(uri), refresh };
}

/** Why the caller may not do it; undefined if he may. */
export function useRefusal(deed: Deed): string | undefined {
  return refusalOf(useBmc().client.caller, deed);
}
