import { expect, it } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import { Screenshots } from './screenshots.ts';

/** A display whose pictures are made when the test says so. */
function bench() {
  const asked: PromiseWithResolvers<Buffer>[] = [];
  const timers: (() => void)[] = [];
  const screenshot = async (): Promise<Buffer> => {
    const made = Promise.withResolvers<Buffer>();
    asked.push(made);
    return await made.promise;
  };
  const screenshots = new Screenshots({ screenshot }, (work) => {
    timers.push(work);
    return () => undefined;
  });
  return { screenshots, asked, timers };
}

it('a picture is one for all who ask while it is made, and for a second', async () => {
  const { screenshots, asked, timers } = bench();
  const both = [screenshots.take(), screenshots.take()];
  asked[0]?.resolve(Buffer.from('first'));
  const late = await Promise.all([...both, screenshots.take()]);
  expect([late.map(String), asked.length]).toEqual([['first', 'first', 'first'], 1]);
  timers[0]?.();
  const next = screenshots.take();
  asked[1]?.resolve(Buffer.from('second'));
  expect(String(await next)).toBe('second');
});

it('a picture that could not be made is tried again for the next one who asks', async () => {
  const { screenshots, asked } = bench();
  const failed = screenshots.take();
  asked[0]?.reject(new MachineError('Unavailable', 'no answer'));
  await expect(failed).rejects.toThrow('no answer');
  const next = screenshots.take();
  asked[1]?.resolve(Buffer.from('x'));
  expect(String(await next)).toBe('x');
});
