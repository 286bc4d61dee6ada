import { describe, expect, it } from 'vitest';
import type { ObjectRule } from '../rules.ts';
import { evaluateChanges, evaluateWhole, parametersOf, PROPERTIES } from './check-rules.ts';

const RULES: ObjectRule = {
  kind: 'object',
  properties: { Way: { kind: 'word', words: ['Stream'], absent: { Upload: 'Give a URL.' } } },
};

describe('an unsupported value', () => {
  it.each([
    ['Upload', /^Give a URL\.$/],
    ['Teleport', /^Choose a value/],
    ['constructor', /^Choose a value/],
  ])('%s is refused with an alternative', (Way, resolution) => {
    const asked = evaluateWhole(RULES, { Way }, parametersOf('VirtualMedia.InsertMedia'));
    const written = evaluateChanges(RULES, { Way }, PROPERTIES, { Way: null });
    for (const { accepted, messages } of [asked, written]) {
      expect(accepted).toEqual({});
      expect(messages).toMatchObject([
        {
          MessageId: expect.stringContaining('ValueNotInList') as string,
          MessageArgs: expect.arrayContaining([Way, 'Way']) as string[],
          Resolution: expect.stringMatching(resolution) as string,
        },
      ]);
    }
  });
});

it('accepts references, and ignores other annotations of OData', () => {
  const reference: ObjectRule = { kind: 'object', properties: { '@odata.id': { kind: 'text', maxLength: 9 } } };
  const rules: ObjectRule = { kind: 'object', properties: { To: reference } };
  const given = { To: { '@odata.id': '/a', '@odata.etag': 'x' }, '@odata.type': 'y' };
  expect(evaluateWhole(rules, given, PROPERTIES)).toEqual({ accepted: { To: { '@odata.id': '/a' } }, messages: [] });
});
