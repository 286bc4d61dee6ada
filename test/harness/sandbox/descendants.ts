import { readdirSync, readFileSync } from 'node:fs';

/** A process, identified by PID and start time, because PIDs are reused. */
export interface ProcessIdentity {
  pid: number;
  /** In clock ticks since boot. */
  startTime: string;
  command: string;
}

/** All descendants of a process, read from /proc. */
export function descendantsOf(pid: number): ProcessIdentity[] {
  return childrenOf(pid).flatMap((child) => {
    const identity = identify(child);
    return identity === undefined ? [] : [identity, ...descendantsOf(child)];
  });
}

/** Whether this process is still running; a zombie is not. */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return identify(pid)?.startTime === startTime;
}

function childrenOf(pid: number): number[] {
  const tasks = unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return tasks.flatMap((task) => {
    // Threads may end during the loop.
    const children = unlessGone(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')) ?? '';
    return children.split(' ').filter(Boolean).map(Number);
  });
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function identify(pid: number): ProcessIdentity | undefined {
  try {
    // proc_pid_stat(5): the fields after the command, which is in parentheses; state is the 3rd, start time the 22nd.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    if (fields[0] === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, startTime: fields[19] ?? '', command };
  } catch {
    return undefined;
  }
}
