import { IP_LEASES, type IPLease } from '../../../api/index.ts';
import { Reflector, type OpenWatch, type ReflectorOptions } from '@groundcrew/controller-runtime';
import type { LeaseReader } from './lease-reader.ts';
import type { LeaseRecord } from './lease-record.ts';
import type { LeaseTable } from './lease-table.ts';

export type LeaseWatchOptions = Pick<
  ReflectorOptions<IPLease, LeaseRecord>,
  'client' | 'clock' | 'random' | 'logger'
> & {
  namespace: string;
  labelSelector: string;
  leases: LeaseTable;
  reader: LeaseReader;
};

/** Leases asked for at a time: what a page leaves behind is what the process is larger by ever after. */
const PAGE_SIZE = 100;

/** Feeds the leases of one namespace into the table, which alone keeps them: a `CachedWatch` would do it once more. */
export class LeaseWatch {
  readonly kind = IP_LEASES;
  readonly #reflector: Reflector<IPLease, LeaseRecord>;
  readonly #synced = Promise.withResolvers<undefined>();
  #hasSynced = false;

  constructor({ namespace, labelSelector, leases, reader, logger, ...reading }: LeaseWatchOptions) {
    this.#reflector = new Reflector({
      ...reading,
      kind: IP_LEASES,
      selection: { namespace, labelSelector },
      sink: {
        replace: (records) => {
          leases.replace(namespace, records);
          this.#hasSynced = true;
          this.#synced.resolve(undefined);
        },
        put: (record) => {
          leases.put(record);
        },
        delete: ({ key }) => {
          leases.remove(key);
        },
        absent: () => undefined,
      },
      trim: (lease) => reader.recordOf(lease),
      pageSize: PAGE_SIZE,
      logger: logger.child({ kind: IP_LEASES.kind }),
    });
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get openWatch(): OpenWatch | undefined {
    return this.#reflector.openWatch;
  }

  get heard(): number | undefined {
    return this.#reflector.heard;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#reflector.run(signal);
  }

  /** Resolves when the first list is in; with `signal`, it may never be. */
  async synced(): Promise<void> {
    await this.#synced.promise;
  }
}
