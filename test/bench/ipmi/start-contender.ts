import type { ServerProcess } from '../../harness/process.ts';
import type { Contender } from './contender.ts';
import { firstAnswer } from './first-answer.ts';

const PATIENCE = 20_000;
const ONE_TRY = 5_000;

interface ContenderOptions extends Pick<Contender, 'name' | 'bmc'> {
  /** Not started yet. */
  process: ServerProcess;
  /** Takes away what it stands on. */
  cleanUp: () => Promise<void>;
}

/** Starts a BMC's process, and resolves once it answers. Throws, with its output, if it does not. */
export async function startContender({ name, bmc, process, cleanUp }: ContenderOptions): Promise<Contender> {
  const close = async (): Promise<void> => {
    await process.dispose();
    await cleanUp();
  };
  const start = async (): Promise<number> => {
    let answered = 0;
    const started = performance.now();
    process.start();
    await process.waitUntil(async () => {
      answered = await firstAnswer(bmc.ipmi.port, AbortSignal.timeout(ONE_TRY));
    }, PATIENCE);
    return answered - started;
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    name,
    bmc,
    get pid() {
      if (process.pid === undefined) throw new Error(`${name} has ended:\n${process.logTail()}`);
      return process.pid;
    },
    restart: async () => {
      await process.stop('SIGKILL');
      return await start();
    },
    close,
  };
}
