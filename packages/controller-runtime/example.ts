import {
  CachedWatch,
  CONFIG_MAPS,
  Controller,
  self,
  source,
  systemClock,
  unlessGone,
  type KubeClient,
  type Logger,
} from '@groundcrew/controller-runtime';

/** Sets the label `size` of each ConfigMap to the number of its keys, until `signal` is aborted. */
export async function labelConfigMaps(client: KubeClient, logger: Logger, signal: AbortSignal): Promise<void> {
  const configMaps = new CachedWatch({ client, kind: CONFIG_MAPS, namespace: 'default', clock: systemClock, logger });
  const controller = new Controller({
    name: 'configmap-size',
    sources: [source(configMaps, self)],
    clock: systemClock,
    logger,
    reconcile: async (ref) => {
      const { metadata, data } = configMaps.get(ref) ?? {};
      const size = String(Object.keys(data ?? {}).length);
      if (metadata === undefined || metadata.labels?.['size'] === size) return;
      await unlessGone(() => client.patch(CONFIG_MAPS, ref, 'merge', { metadata: { labels: { size } } }));
    },
  });
  const reading = configMaps.run(signal);
  await configMaps.synced();
  await Promise.all([controller.run(signal), reading]);
}
