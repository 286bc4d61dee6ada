import { describe, expect, it } from 'vitest';
import { warningHeaders } from './send.ts';

describe('Warning headers', () => {
  it('quote each sentence once', () => {
    expect(warningHeaders(['a "b" \\', 'c', 'c', ''])).toEqual(['299 - "a \\"b\\" \\\\"', '299 - "c"']);
  });

  it('have no control characters', () => {
    expect(warningHeaders(['a\r\nset-cookie: b\u007f'])).toEqual(['299 - "aset-cookie: b"']);
  });

  it('are cut where they are too long together, and end where that is not enough', () => {
    const headers = warningHeaders(Array.from({ length: 30 }, (_, index) => String(index % 10).repeat(300 + index)));
    expect(headers).toHaveLength(16);
    for (const header of headers) expect(header).toMatch(/^299 - "(\d)\1{255}"$/);
    expect(warningHeaders(['x'.repeat(4096)])[0]).toHaveLength(4096 + '299 - ""'.length);
  });
});
