import { describe, expect, it } from 'vitest';
import { findImage } from './images.ts';

describe('an image', () => {
  const images = { groundcrew: { command: ['a'] }, 'registry:5000/x/tool:v2': { command: ['b'] } };

  it.each([
    ['groundcrew', 'a'],
    ['groundcrew:0.1.0', 'a'],
    ['groundcrew@sha256:00', 'a'],
    ['registry:5000/x/tool:v2', 'b'],
    ['registry:5000/x/tool:v1', undefined],
    ['toString', undefined],
  ])('%s', (reference, expected) => {
    expect(findImage(images, reference)?.command[0]).toBe(expected);
  });
});
