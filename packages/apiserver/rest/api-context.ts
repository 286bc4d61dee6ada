import type { Clock, Logger } from '@groundcrew/controller-runtime';
import type { Tokens } from '../tokens.ts';
import type { Registry } from '../resources/index.ts';
import type { Schema } from '../schema/index.ts';
import type { Store } from '../store/index.ts';
import type { Admission } from './admission.ts';

/** What the request handlers share. */
export interface ApiContext {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly tokens: Tokens;
  readonly admission: Admission;
  readonly metadataSchema: Schema;
}
