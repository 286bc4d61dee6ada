import { describe, expect, it } from 'vitest';
import { jsonLogger } from './json-logger.ts';

function written(level: string, log: (logger: ReturnType<typeof jsonLogger>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  log(jsonLogger(level, { write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('jsonLogger', () => {
  it('writes one JSON document per line, in the format of the manager', () => {
    const [line] = written('info', (logger) => {
      logger.child({ kind: 'IPLease' }).warn({ leases: 2 }, 'two of them');
    });
    expect(line).toEqual({
      level: 'warn',
      time: expect.any(String) as string,
      kind: 'IPLease',
      leases: 2,
      msg: 'two of them',
    });
    expect(new Date(String(line?.['time'])).toISOString()).toBe(line?.['time']);
  });

  it('adds further fields to lines that are written', () => {
    const lines: string[] = [];
    let asked = 0;
    const more = () => ({ request: `r-${++asked}` });
    const logger = jsonLogger('info', { write: (line) => lines.push(line), more });
    logger.debug({}, 'not written');
    logger.child({ kind: 'IPLease' }).info({}, 'written');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ request: 'r-1', kind: 'IPLease', msg: 'written' }),
    ]);
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['silent', []],
  ])('writes only lines of level %s or above', (level, levels) => {
    const lines = written(level, (logger) => {
      logger.debug({}, '');
      logger.info({}, '');
      logger.warn({}, '');
      logger.error({}, '');
    });
    expect(lines.map((line) => line['level'])).toEqual(levels);
  });

  it('writes name, message and causes of errors', () => {
    const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
    const [line] = written('info', (logger) => {
      logger.error({ err: new TypeError('no answer', { cause }) }, 'failed');
    });
    expect(line?.['err']).toMatchObject({
      type: 'TypeError',
      message: 'no answer',
      stack: expect.stringContaining('json-logger.test') as string,
      cause: { type: 'Error', message: 'connection refused', code: 'ECONNREFUSED' },
    });
  });

  it('writes values that JSON does not support', () => {
    const circle: Record<string, unknown> = { size: 12n };
    circle['self'] = circle;
    expect(
      written('info', (logger) => {
        logger.info({ size: 12n }, 'a bigint');
        logger.info({ circle }, 'a circle');
      }),
    ).toMatchObject([{ size: '12', msg: 'a bigint' }, { msg: 'a circle' }]);
  });
});
