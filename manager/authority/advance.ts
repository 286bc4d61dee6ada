import { makeAuthority } from './make.ts';
import { dueStep, succeeded, type Succession, type Terms } from './succession.ts';

/**
 * Takes the steps that are due, as far as the one that others are to be told by, which is left to the caller.
 *
 * @param now milliseconds since 1970
 * @returns the same where none is due, so that it need not be written
 */
export async function advanced(succession: Succession | undefined, now: number, terms: Terms): Promise<Succession> {
  const step = dueStep(succession, now, terms);
  if (succession === undefined || step === 'make') return { authority: await authorityBy(terms, now) };
  switch (step) {
    case 'make next':
      return { ...succession, next: { pair: await authorityBy(terms, now) } };
    case 'succeed':
      return succeeded(succession, now, terms);
    case 'drop next':
    case 'drop previous': {
      const { [step === 'drop next' ? 'next' : 'previous']: _, ...rest } = succession;
      return await advanced(rest, now, terms);
    }
    case 'announce':
    case undefined:
      return succession;
  }
}

async function authorityBy({ name, lifetime }: Terms, now: number) {
  return await makeAuthority({ name, lifetime, now });
}
