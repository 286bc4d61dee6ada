import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  isAlreadyExists,
  source,
  type Cache,
  type Clock,
  type Draft,
  type KubeClient,
  type Logger,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { PROVISIONER } from '../claims/binding.ts';
import { DEFAULT_OVERHEAD } from '../claims/filesystem-space.ts';
import {
  CDI_CONFIGS,
  CONFIG_NAME,
  STORAGE_PROFILES,
  type CdiConfig,
  type ClaimProperties,
  type FilesystemOverhead,
  type StorageClass,
  type StorageProfile,
} from '../objects.ts';

export interface ConfigControllerOptions {
  client: KubeClient;
  configs: Cache<CdiConfig>;
  classes: Cache<StorageClass>;
  profiles: Cache<StorageProfile>;
  clock: Clock;
  logger: Logger;
}

/** Keeps the CDIConfig's status, and a StorageProfile for each StorageClass. */
export class ConfigController {
  readonly #options: ConfigControllerOptions;

  constructor(options: ConfigControllerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { configs, classes, profiles, clock, logger } = this.#options;
    const config = (): readonly ObjectRef[] => [{ name: CONFIG_NAME }];
    const controller = new Controller({
      name: 'cdi-config',
      reconcile: () => this.#reconcile(),
      sources: [source(configs, config), source(classes, config), source(profiles, config)],
      clock,
      logger,
    });
    controller.enqueue({ name: CONFIG_NAME });
    await controller.run(signal);
  }

  async #reconcile(): Promise<void> {
    const { client, configs, classes, profiles } = this.#options;
    const config = configs.get({ name: CONFIG_NAME });
    if (config === undefined) {
      await created(client.create(CDI_CONFIGS, EMPTY_CONFIG));
    } else {
      const status = { ...config.status, filesystemOverhead: overheadIn(config, classes.list()), preallocation: false };
      if (!isDeepStrictEqual(status, config.status)) {
        await client.replace(CDI_CONFIGS, { ...config, status }, { subresource: 'status' });
      }
    }
    for (const storageClass of classes.list()) {
      const { name } = storageClass.metadata;
      const profile = profiles.get({ name });
      if (profile === undefined) await created(client.create(STORAGE_PROFILES, emptyProfile(name)));
      else await this.#writeProfile(profile, storageClass);
    }
  }

  async #writeProfile(profile: StorageProfile, storageClass: StorageClass): Promise<void> {
    const { provisioner, metadata } = storageClass;
    const claimPropertySets = profile.spec?.claimPropertySets ?? (provisioner === PROVISIONER ? KNOWN : undefined);
    const status = {
      ...profile.status,
      storageClass: metadata.name,
      provisioner,
      ...(claimPropertySets === undefined ? {} : { claimPropertySets }),
    };
    if (isDeepStrictEqual(status, profile.status)) return;
    await this.#options.client.replace(STORAGE_PROFILES, { ...profile, status }, { subresource: 'status' });
  }
}

const EMPTY_CONFIG: Draft<CdiConfig> = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'CDIConfig',
  metadata: { name: CONFIG_NAME, labels: { app: 'containerized-data-importer', 'cdi.kubevirt.io': '' } },
  spec: {},
};

/** What the stand-in's volumes are: any number of nodes may mount them. The first is what a DataVolume gets. */
const KNOWN: ClaimProperties[] = [
  { accessModes: ['ReadWriteMany'], volumeMode: 'Filesystem' },
  { accessModes: ['ReadWriteMany'], volumeMode: 'Block' },
];

function emptyProfile(name: string): Draft<StorageProfile> {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'StorageProfile',
    metadata: { name, labels: { app: 'containerized-data-importer', 'cdi.kubevirt.io': '' } },
    spec: {},
  };
}

/** Every class is named, with the share that counts for it. */
function overheadIn({ spec }: CdiConfig, classes: readonly StorageClass[]): Required<FilesystemOverhead> {
  const { global = DEFAULT_OVERHEAD, storageClass = {} } = spec?.filesystemOverhead ?? {};
  const names = classes.map(({ metadata }) => metadata.name);
  return { global, storageClass: Object.fromEntries(names.map((name) => [name, storageClass[name] ?? global])) };
}

/** The watch is about to show it, whoever made it. */
async function created(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
