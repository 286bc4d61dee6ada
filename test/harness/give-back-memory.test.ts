import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { unchangedFiles } from '../../cli/give-back-memory.ts';
import { imageNodeOptions } from './container-image.ts';

const MODULE = JSON.stringify(new URL('../../cli/give-back-memory.ts', import.meta.url).href);

interface Statements {
  /** Before all else. */
  setUp?: string;
  /** Before each look. */
  work?: string;
  /** Most looks. */
  looks?: number;
}

/**
 * Looks until half is given back, at most 500 times with 20 ms between, and says how many kB are resident before and at the last look.
 *
 * @param field of Linux's proc_pid_status(5)
 */
function resident(
  field: string,
  { setUp = '', work = '', looks = 500 }: Statements,
): { before: number; after: number } {
  const script = `
    import { readFileSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    const { giveBackMemory } = await import(${MODULE});
    const resident = () => Number(/${field}:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    ${setUp}
    const before = resident();
    giveBackMemory(10, 50);
    let after = before;
    for (let look = 0; look < ${looks} && after > before / 2; look += 1) {
      ${work}
      await setTimeout(20);
      after = resident();
    }
    process.stdout.write(JSON.stringify({ before, after }));
  `;
  const args = [...imageNodeOptions(), '--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as { before: number; after: number };
}

it('a busy process unmaps most of what its start needed of Node’s file, and goes on', () => {
  const work = 'const end = performance.now() + 20; while (performance.now() < end);';
  const { before, after } = resident('RssFile', { work });
  expect(after).toBeLessThan(before / 2);
});

it('an idle process gives back what is free between blocks of the C library that are in use', () => {
  const setUp = `
    const blocks = Array.from({ length: 40_000 }, () => Buffer.allocUnsafeSlow(4_000));
    globalThis.inUse = blocks.filter((_, i) => i % 100 === 0);
    blocks.length = 0;
    gc();
  `;
  const { before, after } = resident('RssAnon', { setUp });
  expect(before).toBeGreaterThan(150_000);
  expect(after).toBeLessThan(before / 2);
});

const GARBAGE = `
  let objects = Array.from({ length: 1_000_000 }, (_, at) => ({ at }));
  gc();
  objects = undefined;
`;

it('an idle process collects what V8 would keep until it needs room', () => {
  const { before, after } = resident('RssAnon', { setUp: GARBAGE });
  expect(after).toBeLessThan(before / 2);
});

it('a process that has much to do and gets no processor time is not idle', () => {
  const work = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);';
  const { before, after } = resident('RssAnon', { setUp: GARBAGE, work, looks: 8 });
  expect(after).toBeGreaterThan(before / 2);
});

it('a Node without an interface to C runs as before', () => {
  const script = `const { giveBackMemory } = await import(${MODULE}); giveBackMemory(); process.stdout.write('runs');`;
  const args = ['--no-experimental-ffi', '--input-type=module', '--eval', script];
  expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({ stdout: 'runs', stderr: '' });
});

it('finds the mappings of files that are neither writable nor changed', () => {
  const smaps = [
    '00400000-00800000 r-xp 00001000 fe:00 77    /nodejs/bin/node',
    ...['Rss: 2048 kB', 'Anonymous:             0 kB', 'Swap:                  0 kB'],
    '00800000-00900000 r--p 00400000 fe:00 77    /nodejs/bin/node (relocated)',
    ...['Rss: 1024 kB', 'Anonymous:             4 kB'],
    '00880000-00900000 r--p 00480000 fe:00 77    /nodejs/bin/node',
    ...['Rss: 0 kB', 'Anonymous:             0 kB', 'Swap:                  4 kB'],
    '00900000-00a00000 rw-p 00500000 fe:00 77    /nodejs/bin/node',
    ...['Rss: 1024 kB', 'Anonymous:             0 kB'],
    '00a00000-00b00000 r--p 00000000 00:00 0 ',
    ...['Rss: 1024 kB', 'Anonymous:             0 kB'],
    '7ffd1000-7ffd3000 r-xp 00000000 00:00 0     [vdso]',
    ...['Rss: 8 kB', 'Anonymous:             0 kB', ''],
  ].join('\n');
  expect(unchangedFiles(smaps)).toEqual([{ start: 0x400000n, size: 0x400000n }]);
});
