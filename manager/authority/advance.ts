import { makeAuthority } from './make.ts';
import { dueStep, succeeded, type Rotation, type Terms } from './ca-rotation.ts';

/**
 * Takes the due steps, except 'announce', which the caller takes after publishing.
 *
 * @param now milliseconds since 1970
 * @returns the same object if no step is due and no write is needed
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
