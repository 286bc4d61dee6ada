import type { KubeClient } from '@groundcrew/controller-runtime';
import {
  CLAIMS,
  DATA_VOLUMES,
  type Claim,
  type DataVolume,
  type DataVolumeCondition,
  type DataVolumeSpec,
} from '@groundcrew/kubevirt-simulator/cdi';
import { eventually, type EventuallyOptions } from '../index.ts';

/** Creates and watches DataVolumes in one namespace. */
export class DataVolumes {
  readonly #client: KubeClient;
  readonly namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  /** Creates a DataVolume that imports `source` into a volume for an image of `size`. */
  async import(
    name: string,
    source: NonNullable<DataVolumeSpec['source']>,
    { size = '1Mi', ...spec }: { size?: string } & Partial<DataVolumeSpec> = {},
  ): Promise<DataVolume> {
    return await this.create(name, {
      source,
      ...(spec.pvc === undefined ? { storage: { resources: { requests: { storage: size } } } } : {}),
      ...spec,
    });
  }

  async create(name: string, spec: DataVolumeSpec): Promise<DataVolume> {
    return await this.#client.create(DATA_VOLUMES, {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: { namespace: this.namespace, name },
      spec,
    });
  }

  async get(name: string): Promise<DataVolume> {
    return await this.#client.get(DATA_VOLUMES, { namespace: this.namespace, name });
  }

  async claim(name: string): Promise<Claim> {
    return await this.#client.get(CLAIMS, { namespace: this.namespace, name });
  }

  async delete(name: string): Promise<void> {
    await this.#client.delete(DATA_VOLUMES, { namespace: this.namespace, name });
  }

  /** Waits until the DataVolume meets `condition`, and returns it. */
  async until(
    name: string,
    condition: (dv: DataVolume) => boolean,
    options: EventuallyOptions = {},
  ): Promise<DataVolume> {
    return await eventually(
      async () => {
        const dv = await this.get(name);
        if (!condition(dv)) throw new Error(`${name} is ${JSON.stringify(dv.status)}`);
        return dv;
      },
      { timeout: 20_000, interval: 25, ...options },
    );
  }

  /** Waits until an import attempt has failed with this message; other attempts may have failed with others. */
  async untilFailure(name: string, message: string): Promise<DataVolume> {
    return await this.until(name, (seen) => {
      const running = conditionOf(seen, 'Running');
      return running?.reason === 'Error' && running.message?.includes(message) === true;
    });
  }
}

export function conditionOf(dv: DataVolume, type: DataVolumeCondition['type']): DataVolumeCondition | undefined {
  return dv.status?.conditions?.find((condition) => condition.type === type);
}
