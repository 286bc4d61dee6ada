import { describe, expect, it } from 'vitest';
import { warningHeaders } from './send.ts';

describe('Warning headers', () => {
  it('contain each quoted text once', () => {
    expect(warningHeaders(['a "b" \\', 'c', 'c', ''])).toEqual(['299 - "a \\"b\\" \\\\"', '299 - "c"']);
  });

  it('have no control characters', () => {
    expect(warningHeaders(['a\r\nset-cookie: b\u007f'])).toEqual(['299 - "aset-cookie: b"']);
  });
});
