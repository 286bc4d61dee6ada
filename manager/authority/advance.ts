import { makeAuthority } from './make.ts';
import { dueStep, succeeded, type Rotation, type Terms } from './ca-rotation.ts';

/**
 * Takes the steps that are due, as far as the one that others are to be told by, which is left to the caller.
 *
 * @param now milliseconds since 1970
 * @returns the same where none is due, so that it need not be written
 */
export async function advanced(rotation: Rotation | undefined, now: number, terms: Terms): Promise<Rotation> {
  const step = dueStep(rotation, now, terms);
  if (rotation === undefined || step === 'make') return { authority: await authorityBy(terms, now) };
  switch (step) {
    case 'make next':
      return { ...rotation, next: { pair: await authorityBy(terms, now) } };
    case 'succeed':
      return succeeded(rotation, now, terms);
    case 'drop next':
    case 'drop previous': {
      const { [step === 'drop next' ? 'next' : 'previous']: _, ...rest } = rotation;
      return await advanced(rest, now, terms);
    }
    case 'announce':
    case undefined:
      return rotation;
  }
}

async function authorityBy({ name, lifetime }: Terms, now: number) {
  return await makeAuthority({ name, lifetime, now });
}
