import { describe, expect, it } from 'vitest';
import { mapText } from './map-text.ts';
import { patchedText } from './patched-text.ts';

describe('a value as Go prints it', () => {
  it.each([
    [{ b: 1, a: ['x', null] }, 'map[a:[x <nil>] b:1]'],
    [{}, 'map[]'],
    ['x', 'x'],
    [true, 'true'],
  ])('%j', (value, text) => {
    expect(mapText(value)).toBe(text);
  });
});

describe('a patched object in an error', () => {
  it('has its keys in order where the patch went, and as they were elsewhere', () => {
    const kept = { z: 1, a: 2 };
    const schema = {
      properties: {
        kept: { properties: { z: {}, a: {} } },
        changed: { properties: { z: {}, a: {} } },
      },
    };
    const patched = { kept, changed: { z: 1, a: '<' } };
    expect(patchedText(patched, { kept, changed: { z: 1, a: 2 } }, schema)).toBe(
      String.raw`{"changed":{"a":"\u003c","z":1},"kept":{"z":1,"a":2}}`,
    );
  });
});
