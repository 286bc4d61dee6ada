import { modified, StatusError, type ResourceName } from '../status.ts';

const MAX_ATTEMPTS = 10;

/**
 * The object has changed while its change was under review: the request is worth another try, from its beginning. Says
 * what a client that saw the old state is told.
 */
export class Superseded extends StatusError {
  constructor(resource: ResourceName, name: string) {
    const { code, reason, message, details } = modified(resource, name);
    super(code, reason, message, details);
  }
}

/** Repeats `work` while it comes too late. */
export async function untilCurrent<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Superseded) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
