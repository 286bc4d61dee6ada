import { BMC_DEFAULTS } from '../../../api/index.ts';
import { KubeClient, systemClock, type CachedWatch, type KubeObject } from '@groundcrew/controller-runtime';
import { ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { allCaches, createCaches } from '../caches.ts';
import type { Sources } from '../load-inputs.ts';
import { KnownObjects } from '../known-objects.ts';
import { NamedSecrets } from '../named-secrets.ts';
import { createNetworkCaches } from '../../networks/index.ts';
import { Assignments, SharedAgents } from '../../sharedagent/index.ts';
import { openTurn } from './builders.ts';

/** The sources of the controller on a {@link ScriptedApi}. */
export interface ScriptedSources {
  api: ScriptedApi;
  sources: Sources;
  /** Resolves when the caches have the objects of the API, except Secrets. */
  caughtUp: () => Promise<void>;
}

/** @param signal ends the watches */
export async function scriptedSources(signal: AbortSignal): Promise<ScriptedSources> {
  const api = new ScriptedApi();
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  const reading = { client, clock: systemClock, logger: silentLogger };
  const [virtualMachines] = createNetworkCaches({ ...reading, namespaces: [] }).virtualMachinesOfEach;
  if (virtualMachines === undefined) throw new Error('there is no cache of all namespaces');
  const caches = createCaches(reading, virtualMachines);
  // Code that runs or reads a cache does not depend on its type.
  const all = [...allCaches(caches), virtualMachines as unknown as CachedWatch<KubeObject>];
  const assignments = new Assignments({ services: caches.children.service, capacity: 2 });
  const secrets = new NamedSecrets({ ...reading, keys: ['username', 'password', 'tls.crt', 'tls.key'] });
  void secrets.run(signal);
  for (const cache of all) void cache.run(signal);
  await Promise.all(all.map((cache) => cache.settled()));
  /** Whether the caches have the stored objects, by version. */
  const isCaughtUp = (): boolean => {
    const held = all.flatMap((cache) => cache.list());
    const versions = new Set(held.map(({ metadata }) => metadata.resourceVersion));
    return [...api.objects.values()].every(
      ({ kind, metadata }) => kind === 'Secret' || versions.has(metadata.resourceVersion),
    );
  };
  const caughtUp = async (): Promise<void> => {
    const ends: (() => void)[] = [];
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (isCaughtUp()) resolve();
      };
      for (const cache of all) ends.push(cache.subscribe(check));
      check();
    });
    for (const end of ends) end();
  };
  const sources: Sources = {
    ...{ client, caches, secrets, known: new KnownObjects(caches, systemClock) },
    authority: { current: undefined, subscribe: () => () => undefined },
    certificateNames: [],
    namePolicy: { clusterDomain: 'cluster.local', allowedDNSSuffixes: [] },
    gate: { turn: () => openTurn({ image: 'groundcrew' }), subscribe: () => () => undefined },
    defaults: { image: 'groundcrew' },
    bmcDefaults: BMC_DEFAULTS,
    shared: { assignments, agents: new SharedAgents(assignments), placement: 'Dedicated' },
  };
  return { api, sources, caughtUp };
}
