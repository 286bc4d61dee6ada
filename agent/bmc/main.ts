import { aborted, sleep } from '@groundcrew/controller-runtime';
import { runProcess } from '../process/index.ts';
import { type AgentOptions, bmcDependencies, DRAIN_TIMEOUT, serveHealth } from './agent-parts.ts';
import { drained } from './bmc-set.ts';
import { dedicatedSet } from './dedicated-set.ts';

export interface BmcAgentOptions extends AgentOptions {
  /** Name of the VirtualMachineBMC to serve; absent: those of the shared agent. */
  bmc?: string;
  /** Name of the shared agent that this process belongs to. */
  shared?: string;
  /** UDP port of a dedicated agent's BMC. */
  ipmiPort: number;
  /** TCP ports of Redfish over HTTPS and, if the BMC enables it, over plain HTTP. */
  redfishPort: number;
  redfishHttpPort: number;
}

/** Milliseconds from a client's restart request to the restart. */
const RESTART_DELAY = 500;

/**
 * Serves a BMC, or those of a shared agent, until SIGTERM or SIGINT, or with GROUNDCREW_EXIT_WITH_PARENT=1 until standard
 * input ends.
 *
 * @returns the process's exit code
 */
export async function runBmcAgent(options: BmcAgentOptions): Promise<number> {
  return await runProcess(options, async (stop) => {
    const { shared, bmc } = options;
    if (bmc !== undefined) await serve({ ...options, bmc }, stop);
    else if (shared !== undefined) {
      // Dedicated agents do not load it.
      const { serveShared } = await import('./shared/shared-agent.ts');
      await serveShared({ ...options, shared }, stop);
    } else throw new Error('the agent needs the name of its BMC (--bmc), or of its shared agent (--shared)');
  });
}

async function serve(options: BmcAgentOptions & { bmc: string }, stop: AbortSignal): Promise<void> {
  const { bmc: name, logger } = options;
  await using parts = new AsyncDisposableStack();
  const restart = new AbortController();
  const dependencies = bmcDependencies(options, parts, () => bmcs.gauges);
  const { clock } = dependencies;
  const { bmcs, run } = dedicatedSet({
    ...options,
    ...dependencies,
    name,
    restart: () => {
      logger.info({}, 'a client requested a restart');
      restart.abort();
    },
  });
  await serveHealth(options, parts, dependencies.agentMetrics, new Map([['bmc', () => bmcs.problem]]));

  const end = new AbortController();
  const ended = run(end.signal);
  await aborted(AbortSignal.any([stop, restart.signal]));
  logger.info({ sessions: bmcs.sessionCount }, 'stopping');
  // A requested restart is immediate, after a short delay for the response.
  if (restart.signal.aborted) {
    bmcs.drain();
    await sleep(clock, RESTART_DELAY, stop).catch(() => undefined);
  } else await drained(bmcs, { clock, patience: DRAIN_TIMEOUT });
  end.abort();
  await ended;
}
