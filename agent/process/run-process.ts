import type { Logger } from '@groundcrew/controller-runtime';

export interface AgentProcessOptions {
  logger: Logger;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs `serve` until SIGTERM or SIGINT aborts its signal, or with GROUNDCREW_EXIT_WITH_PARENT=1 until standard input
 * ends.
 *
 * @returns the process's exit code: 1 after an error of `serve`, which is logged
 */
export async function runProcess(
  { logger, env }: AgentProcessOptions,
  serve: (stop: AbortSignal) => Promise<void>,
): Promise<number> {
  try {
    using parts = new DisposableStack();
    if (env['GROUNDCREW_EXIT_WITH_PARENT'] === '1') parts.use(exitWithParent());
    await serve(parts.use(stopSignal()).signal);
    return 0;
  } catch (error) {
    logger.error({ err: error }, 'the agent cannot run');
    return 1;
  }
}

/** The sandbox's kubelet holds the other end of standard input, which closes when the sandbox ends for any reason. */
function exitWithParent(): Disposable {
  const exit = (): void => {
    process.exit(0);
  };
  process.stdin.on('close', exit);
  process.stdin.resume();
  return {
    // A stream that is being read keeps the process alive.
    [Symbol.dispose]() {
      process.stdin.off('close', exit);
      process.stdin.destroy();
    },
  };
}

function stopSignal(): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
    },
  };
}
