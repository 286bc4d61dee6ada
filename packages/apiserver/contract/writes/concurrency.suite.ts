import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, APPLY, JSON_PATCH, MERGE, writeScene, type Subject } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { subjects, make, get, put, patch, unique } = writeScene(harness);

const modified = (kind: Subject, name: string) =>
  refusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${kind.resource} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
    kind.details(name),
  );

describe.each(subjects)('of %s', (_what, kind) => {
  const changed = async () => {
    const name = unique();
    const stale = await make(kind.path(), kind.object(name, { text: '1' }));
    await patch(MERGE, kind.path(name), { metadata: { labels: { changed: 'yes' } } });
    return { name, stale, path: kind.path(name) };
  };

  it('a PUT of a state that is over is refused', async () => {
    const { name, stale, path } = await changed();
    expect(answerOf(await put(path, stale))).toEqual(modified(kind, name));
    expect((await get(path)).metadata['labels']).toEqual({ changed: 'yes' });
  });

  it('a patch that names the state it is of is refused when that is over', async () => {
    const { name, stale, path } = await changed();
    const { resourceVersion } = stale.metadata;
    const metadata = { resourceVersion, labels: { changed: 'no' } };
    expect(answerOf(await patch(MERGE, path, { metadata }))).toEqual(modified(kind, name));
    const replace = [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }];
    expect(answerOf(await patch(JSON_PATCH, path, replace))).toEqual(modified(kind, name));
    const applied = kind.object(name, {}, { resourceVersion, labels: { changed: 'no' } });
    expect(answerOf(await patch(APPLY, `${path}?fieldManager=me&force=true`, applied))).toEqual(modified(kind, name));
    expect((await get(path)).metadata['labels']).toEqual({ changed: 'yes' });
  });

  it('a patch that does not is made again of the state that is', async () => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    const patches = Array.from(
      { length: 5 },
      async (_, index) => await patch(MERGE, kind.path(name), { metadata: { labels: { [`l${index}`]: 'v' } } }),
    );
    const answers = await Promise.all(patches);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(Object.keys((await get(kind.path(name))).metadata['labels'] as object)).toHaveLength(5);
  });

  it('one of several PUTs of one state wins', async () => {
    const name = unique();
    const before = await make(kind.path(), kind.object(name));
    const answers = await Promise.all(
      Array.from(
        { length: 6 },
        async (_, index) =>
          await put(kind.path(name), { ...before, metadata: { ...before.metadata, labels: { winner: `w${index}` } } }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
    const winner = answers[statuses.indexOf(200)];
    expect(await get(kind.path(name))).toEqual(winner?.body);
    const loser = answers[statuses.indexOf(409)];
    expect(loser && answerOf(loser)).toEqual(modified(kind, name));
  });

  it('one of several creates of one name wins', async () => {
    const name = unique();
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => await http('POST', kind.path(), { body: kind.object(name) })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('a PUT for another object of the name is refused, before its state is looked at', async () => {
    const { name, stale, path } = await changed();
    const { uid } = stale.metadata;
    expect(answerOf(await put(path, { ...stale, metadata: { ...stale.metadata, uid: 'other' } }))).toEqual(
      refusal(
        409,
        'Conflict',
        expect.stringContaining(`UID in precondition: other, UID in object meta: ${uid}`),
        kind.details(name),
      ),
    );
  });

  it('each write has a later version than the one before', async () => {
    const name = unique();
    let last = BigInt((await make(kind.path(), kind.object(name))).metadata.resourceVersion);
    for (let round = 0; round < 5; round += 1) {
      const { body } = await patch(MERGE, kind.path(name), { metadata: { labels: { round: `${round}` } } });
      const version = BigInt((body as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
      expect(version).toBeGreaterThan(last);
      last = version;
    }
  });
});
