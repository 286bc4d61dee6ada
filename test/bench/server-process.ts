import type { ServerProcess } from '../harness/process.ts';

const TIMEOUT = 20_000;

/** A running server of a benchmark. */
export interface BenchServer {
  readonly pid: number;
  /** Kills the process and starts it again. @returns ms from the start to the first answer */
  restart(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Starts a process and resolves when it answers.
 *
 * @param process not started yet
 * @param answers resolves with the time of the first answer; called again while it rejects
 * @param cleanUp runs after the end of the process
 * @throws Error with the output of a process that does not answer
 */
export async function startServer(
  process: ServerProcess,
  answers: () => Promise<number>,
  cleanUp: () => Promise<void>,
): Promise<BenchServer> {
  const close = async (): Promise<void> => {
    await process.dispose();
    await cleanUp();
  };
  const start = async (): Promise<number> => {
    let answered = 0;
    const started = performance.now();
    process.start();
    await process.waitUntil(async () => {
      answered = await answers();
    }, TIMEOUT);
    return answered - started;
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get pid() {
      if (process.pid === undefined) throw new Error(`the process has ended:\n${process.logTail()}`);
      return process.pid;
    },
    restart: async () => {
      await process.stop('SIGKILL');
      return await start();
    },
    close,
  };
}
