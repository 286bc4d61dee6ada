import { expect, it, onTestFinished } from 'vitest';
import { oneForAll } from './one-for-all.ts';

/** Pages of one browser; each collects what it hears. */
function openPage(name: string) {
  const heard: string[] = [];
  let tell: ((message: string) => void) | undefined;
  let finish = (): void => undefined;
  const close = oneForAll<string>(name, {
    lead: async (tellAll, signal) => {
      tell = tellAll;
      await new Promise<void>((resolve) => {
        finish = resolve;
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
      tell = undefined;
    },
    hear: (message) => heard.push(message),
    recall: () => heard.slice(-1),
  });
  onTestFinished(close);
  return {
    heard,
    close,
    leads: () => tell !== undefined,
    tell: (message: string) => {
      tell?.(message);
    },
    finish: () => {
      finish();
    },
  };
}

it('is done by one page at a time, and all hear of it', async () => {
  const [one, two] = [openPage('a'), openPage('a')];
  await expect.poll(one.leads).toBe(true);
  one.tell('x');
  await expect.poll(() => [one.heard, two.heard[0], two.leads()]).toEqual([['x'], 'x', false]);
});

it('tells a page that comes later what it has missed', async () => {
  const one = openPage('b');
  await expect.poll(one.leads).toBe(true);
  one.tell('x');
  one.tell('y');
  const two = openPage('b');
  await expect.poll(() => two.heard).toEqual(['y']);
});

it.each(['close', 'finish'] as const)('is done by another page after %s()', async (end) => {
  const [one, two] = [openPage(end), openPage(end)];
  await expect.poll(one.leads).toBe(true);
  one[end]();
  await expect.poll(two.leads).toBe(true);
  two.tell('x');
  await expect.poll(() => two.heard).toEqual(['x']);
  await expect.poll(() => one.heard).toEqual(end === 'close' ? [] : ['x']);
});
