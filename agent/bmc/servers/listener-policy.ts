import type { VirtualMachineBMC } from '../../../api/index.ts';
import { keyOf, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import type { HostDependencies } from '../../../protocols/hosts/index.ts';
import type { ListenerPolicy } from '../../../protocols/redfish/index.ts';
import { caBundle } from '../objects/ca-bundle.ts';

const FIELD = 'spec.redfish.events.tls.caBundleConfigMapRef';

/**
 * Where a BMC may send events, and whom it trusts there, as its resource says now.
 *
 * @param now ms of a clock that never goes back
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

/** ms for which a bundle is taken as it was read: many who verify somebody do so at the same time. */
const REMEMBERED = 10_000;

interface Remembered {
  readonly key: string;
  /** Of `now`. */
  readonly at: number;
  readonly bundle: Promise<readonly string[]>;
}

/** Reads the ConfigMap of a CA bundle at most once in 10 s, as long as that succeeds and it is the same one. */
export class RememberedBundle {
  readonly #read: (ref: ObjectRef) => Promise<readonly string[]>;
  readonly #now: () => number;
  #last: Remembered | undefined;

  /** @param now ms of a clock that never goes back */
  constructor(read: (ref: ObjectRef) => Promise<readonly string[]>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** @throws what `read` throws, which is read again */
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
