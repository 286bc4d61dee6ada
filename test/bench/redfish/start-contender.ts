import type { ServerProcess } from '../../harness/process.ts';
import type { Contender } from './contender.ts';
import { firstAnswer } from './first-answer.ts';

const PATIENCE = 20_000;

/** Starts a service's process, and resolves once it answers. Throws, with its output, if it does not. */
export async function startContender(
  inputs: Omit<Contender, 'pid' | 'restart' | 'close'>,
  process: ServerProcess,
  cleanUp: () => Promise<void>,
): Promise<Contender> {
  const close = async (): Promise<void> => {
    await process.dispose();
    await cleanUp();
  };
  const start = async (): Promise<number> => {
    const started = performance.now();
    process.start();
    await process.waitUntil(() => firstAnswer(inputs.base), PATIENCE);
    return performance.now() - started;
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...inputs,
    get pid() {
      if (process.pid === undefined) throw new Error(`${inputs.name} has ended:\n${process.logTail()}`);
      return process.pid;
    },
    restart: async () => {
      await process.stop('SIGKILL');
      return await start();
    },
    close,
  };
}
