import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookCall } from './client.ts';

const END = '--- end of call';

/**
 * Writes a hook script for a client. It records each call and runs `body`; it never changes /etc/resolv.conf of the
 * host. Returns its path.
 *
 * @param body shell code
 */
export function writeHook(folder: string, body: string): string {
  const hook = join(folder, 'hook.sh');
  const script = [
    '#!/bin/sh',
    `{ echo "argument=$1"; env; echo "${END}"; } >> ${recordOf(folder)}`,
    body,
    'exit 0',
    '',
  ];
  writeFileSync(hook, script.join('\n'));
  chmodSync(hook, 0o755);
  return hook;
}

/** The calls so far, in order; an incomplete one is omitted. */
export function readHookCalls(folder: string): HookCall[] {
  if (!existsSync(recordOf(folder))) return [];
  const calls = readFileSync(recordOf(folder), 'utf8').split(`${END}\n`).slice(0, -1);
  return calls.map((call) => {
    const variables = Object.fromEntries(
      call.split('\n').flatMap((line) => {
        const at = line.indexOf('=');
        return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
      }),
    );
    return { reason: variables['reason'] ?? variables['argument'] ?? '', variables };
  });
}

function recordOf(folder: string): string {
  return join(folder, 'hook-calls');
}
