import { describe, expect, it } from 'vitest';
import { Problem } from './problem.ts';
import { ResourceStore } from './resource-store.ts';

/** A store whose reads are answered by the test. */
function storeWithReads(): {
  store: ResourceStore;
  reads: { uri: string; answer: (body: unknown) => void; fail: (error: Error) => void }[];
} {
  const reads: { uri: string; answer: (body: unknown) => void; fail: (error: Error) => void }[] = [];
  const store = new ResourceStore(
    async (uri) =>
      await new Promise((answer, fail) => {
        reads.push({ uri, answer, fail });
      }),
  );
  return { store, reads };
}

const turn = async (): Promise<void> => {
  await new Promise((resolve) => {
    setTimeout(resolve);
  });
};

it('reads a resource once for all who wait for it', async () => {
  const { store, reads } = storeWithReads();
  let heard = 0;
  store.watch('/a', () => heard++);
  const waiting = store.refresh('/a');
  reads[0]?.answer(1);
  await waiting;
  expect({ heard, reads: reads.length, ...store.snapshot('/a') }).toEqual({
    heard: 1,
    reads: 1,
    body: 1,
    problem: undefined,
  });
});

it('reads once more after a change that it hears of while it reads', async () => {
  const { store, reads } = storeWithReads();
  void store.refresh('/a');
  void store.refresh('/a');
  void store.refresh('/a');
  reads[0]?.answer('old');
  await turn();
  expect(reads).toHaveLength(2);
  reads[1]?.answer('new');
  await turn();
  expect(store.snapshot('/a').body).toBe('new');
  expect(reads).toHaveLength(2);
});

it('keeps the last answer beside a problem, until the next answer', async () => {
  const { store, reads } = storeWithReads();
  const steps = [store.refresh('/a')];
  reads[0]?.answer('body');
  await steps[0];
  const failing = store.refresh('/a');
  reads[1]?.fail(new Problem('No.', { status: 503 }));
  await failing;
  expect(store.snapshot('/a')).toMatchObject({ body: 'body', problem: { message: 'No.', status: 503 } });
});

describe('a change', () => {
  it.each([
    ['/Systems/1', ['/Systems/1']],
    ['/Tasks/7', ['/Tasks?$expand=.']],
    ['/Tasks', ['/Tasks?$expand=.']],
    ['/Systems/12', []],
  ])('of %s reads what is shown of it: %j', (changed, expected) => {
    const { store, reads } = storeWithReads();
    for (const uri of ['/Systems/1', '/Tasks?$expand=.']) store.watch(uri, () => undefined);
    store.changed(changed);
    expect(reads.map(({ uri }) => uri)).toEqual(expected);
  });

  it('of what is not shown any more reads nothing', () => {
    const { store, reads } = storeWithReads();
    const end = store.watch('/a', () => undefined);
    end();
    store.changed('/a');
    expect(reads).toEqual([]);
  });
});
