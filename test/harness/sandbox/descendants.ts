import { readdirSync, readFileSync } from 'node:fs';

/** A process, told apart from a later one of the same number by the time of its start. */
export interface ProcessIdentity {
  pid: number;
  /** In clock ticks since the machine's start. */
  startTime: string;
  command: string;
}

/** All processes below one, read from /proc: children, their children, and so on. */
export function descendantsOf(pid: number): ProcessIdentity[] {
  return childrenOf(pid).flatMap((child) => {
    const identity = identify(child);
    return identity === undefined ? [] : [identity, ...descendantsOf(child)];
  });
}

/** Whether that very process still runs; a zombie does not. */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return identify(pid)?.startTime === startTime;
}

function childrenOf(pid: number): number[] {
  const tasks = unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return tasks.flatMap((task) => {
    // Threads come and go while they are looked through.
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
    // proc_pid_stat(5): the fields after the command, which stands in parentheses; state is the 3rd, start the 22nd.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    if (fields[0] === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, startTime: fields[19] ?? '', command };
  } catch {
    return undefined;
  }
}
