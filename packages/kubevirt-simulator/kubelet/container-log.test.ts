import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContainerLog } from './container-log.ts';
import { logQuery, readLog } from './log-server.ts';

let directory: string;
let log: ContainerLog;
let now: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'groundcrew-log-'));
  now = 1000;
  log = ContainerLog.begin(join(directory, '0.log'), () => now);
});
afterEach(async () => {
  log.end();
  await rm(directory, { recursive: true });
});

async function read(query = '', signal = new AbortController().signal): Promise<string> {
  let text = '';
  for await (const piece of readLog(log, logQuery(new URLSearchParams(query), 60_000), signal)) text += piece;
  return text;
}

describe('the log of a container', () => {
  beforeEach(() => {
    for (const line of ['one', 'two', 'three']) {
      log.append(line);
      now += 1000;
    }
  });

  it.each([
    ['', 'one\ntwo\nthree\n'],
    ['tailLines=2', 'two\nthree\n'],
    ['tailLines=0', ''],
    ['limitBytes=6', 'one\ntw'],
    ['timestamps=true&tailLines=1', '1970-01-01T00:00:03.000000000Z three\n'],
    ['sinceSeconds=58', 'two\nthree\n'],
    ['sinceTime=1970-01-01T00:00:03Z', 'three\n'],
  ])('answers %s', async (query, expected) => {
    expect(await read(query)).toBe(expected);
  });

  it('contains a line once that is written when following starts', async () => {
    const following = read('follow=true&tailLines=1');
    log.append('four');
    log.end();
    expect(await following).toBe('three\nfour\n');
  });

  it('is followed until the reader disconnects', async () => {
    const reader = new AbortController();
    const following = read('follow=true', reader.signal);
    reader.abort();
    expect(await following).toBe('one\ntwo\nthree\n');
  });
});

describe('a container with much output', () => {
  it('has long lines split', async () => {
    log.append('x'.repeat(16 * 1024 + 1));
    expect((await read()).split('\n').map(({ length }) => length)).toEqual([16_384, 1, 0]);
  });

  it('has two files of at most 5 MiB and a line', async () => {
    for (let count = 0; count < 1000; count += 1) log.append('x'.repeat(16_000));
    const files = await readdir(directory);
    expect(files.sort()).toEqual(['0.log', '0.log.1']);
    for (const file of files) expect((await stat(join(directory, file))).size).toBeLessThan(5.1 * 1024 * 1024);
    const text = await read('tailLines=1');
    expect(text.length).toBe(16_001);
  });

  it('has later lines after a failed rotation', async () => {
    const obstacle = join(directory, '0.log.1');
    await mkdir(obstacle);
    for (let count = 0; count < 400; count += 1) log.append('x'.repeat(16_000));
    await rm(obstacle, { recursive: true });
    log.append('later');
    expect(await read('tailLines=1')).toBe('later\n');
  });
});

it('a log on a full disk loses lines, but followers receive them', async () => {
  const full = ContainerLog.begin('/dev/full', () => 0);
  const following = full.follow(new AbortController().signal);
  const next = following.next();
  full.append('heard');
  expect((await next).value).toEqual({ time: '1970-01-01T00:00:00.000000000Z', text: 'heard' });
  full.end();
});
