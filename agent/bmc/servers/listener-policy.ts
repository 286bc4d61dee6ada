import type { VirtualMachineBMC } from '../../../api/index.ts';
import { keyOf, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import type { HostDependencies } from '../../../protocols/hosts/index.ts';
import type { ListenerPolicy } from '../../../protocols/redfish/index.ts';
import { caBundle } from '../objects/ca-bundle.ts';

const FIELD = 'spec.redfish.events.tls.caBundleConfigMapRef';

/**
 * The servers that a BMC may send events to, and the certificates that it trusts there, from its current spec.
 *
 * @param now ms of a monotonic clock
 */
export function listenerPolicy(
  current: () => VirtualMachineBMC,
  client: KubeClient,
  dependencies: HostDependencies,
  now: () => number,
): ListenerPolicy {
  const bundle = new RememberedBundle((ref) => caBundle(client, ref, FIELD), now);
  return {
    ...dependencies,
    allowedHosts: () => current().spec.redfish?.events?.allowedHosts ?? [],
    allowedHostsSetting: 'spec.redfish.events.allowedHosts of the VirtualMachineBMC',
    trustAdvice: `a ConfigMap with the certificates to trust goes into ${FIELD} of the VirtualMachineBMC`,
    authorities: async () => {
      const { metadata, spec } = current();
      const name = spec.redfish?.events?.tls?.caBundleConfigMapRef?.name;
      const { namespace = '' } = metadata;
      return name === undefined ? undefined : await bundle.of({ namespace, name });
    },
  };
}

/** ms that a bundle is cached: many connections are verified at the same time. */
const REMEMBERED = 10_000;

interface Remembered {
  readonly key: string;
  /** Time of the read. */
  readonly at: number;
  readonly bundle: Promise<readonly string[]>;
}

/** Caches the CA bundle of a ConfigMap for 10 s. A failed read is not cached. */
export class RememberedBundle {
  readonly #read: (ref: ObjectRef) => Promise<readonly string[]>;
  readonly #now: () => number;
  #last: Remembered | undefined;

  /** @param now ms of a monotonic clock */
  constructor(read: (ref: ObjectRef) => Promise<readonly string[]>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** @throws the error of `read` */
  async of(ref: ObjectRef): Promise<readonly string[]> {
    const key = keyOf(ref);
    const last = this.#last;
    if (last?.key === key && this.#now() - last.at < REMEMBERED) return await last.bundle;
    const read: Remembered = { key, at: this.#now(), bundle: this.#read(ref) };
    this.#last = read;
    try {
      return await read.bundle;
    } catch (error) {
      if (this.#last === read) this.#last = undefined;
      throw error;
    }
  }
}
