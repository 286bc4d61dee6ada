import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { answerOf, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { widgets } = writeScene(harness);

const dry = async (path: string, body: unknown) => await http('POST', `${path}?dryRun=All`, { body });

describe('values of a custom kind', () => {
  const specOf = async (spec: unknown) => {
    const { status, body } = await dry(widgets.path(), widgets.object('a', spec as Record<string, unknown>));
    expect(status).toBe(201);
    return (body as Body).spec;
  };

  it('that say nothing are kept', async () => {
    const empty = { text: '', number: 0, flag: false, list: [], map: {}, pair: {}, entries: [] };
    expect(await specOf(empty)).toEqual({ preset: 'p', ...empty });
  });

  it('that are null are left out, unless they may be', async () => {
    expect(
      await specOf({
        text: null,
        preset: null,
        nullable: null,
        map: { a: null },
        free: { a: null },
        pair: { a: null },
        entries: [{ name: 'a', value: null, preset: null }],
      }),
    ).toEqual({
      preset: 'p',
      nullable: null,
      map: {},
      free: { a: null },
      pair: {},
      entries: [{ name: 'a', preset: 'q' }],
    });
  });

  it('that are null in lists are wrong', async () => {
    const wrong = (field: string) => ({
      field,
      reason: 'FieldValueTypeInvalid',
      message: `Invalid value: "null": ${field} in body must be of type string: "null"`,
    });
    expect(answerOf(await dry(widgets.path(), widgets.object('a', { list: [null] })))).toEqual(
      widgets.invalid('a', wrong('spec.list[0]')),
    );
  });

  it('that are numbers are whole or not by what they are, not by how they are written', async () => {
    const path = `${widgets.path()}?dryRun=All`;
    const send = async (text: string) =>
      await http('POST', path, {
        body: `{"apiVersion":"${widgets.apiVersion}","kind":"Widget","metadata":{"name":"a"},"spec":${text}}`,
      });
    expect(await send('{"number":1.0,"free":{"a":1e3,"b":-0,"c":0.1e1,"d":1e21,"e":1e-7}}')).toMatchObject({
      status: 201,
      body: { spec: { number: 1, free: { a: 1000, b: 0, c: 1, d: 1e21, e: 1e-7 } } },
    });
    const message = 'Invalid value: "number": spec.number in body must be of type integer: "number"';
    expect(answerOf(await send('{"number":1.5}'))).toEqual(
      widgets.invalid('a', { field: 'spec.number', reason: 'FieldValueTypeInvalid', message }),
    );
  });

  it('that are text are any Unicode', async () => {
    expect(await specOf({ text: 'ä\u2028<>&\u0007🙂' })).toMatchObject({ text: 'ä\u2028<>&\u0007🙂' });
  });

  it('as a whole may be missing', async () => {
    for (const body of [widgets.object('a'), { ...widgets.object('a'), spec: null }]) {
      const answer = await dry(widgets.path(), body);
      expect(answer.status).toBe(201);
      expect(answer.body).not.toHaveProperty('spec');
    }
  });
});
