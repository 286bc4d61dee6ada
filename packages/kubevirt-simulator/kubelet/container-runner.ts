import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, type Clock } from '@groundcrew/controller-runtime';
import { ContainerLog } from './container-log.ts';
import { ContainerProcess } from './container-process.ts';
import type { ContainerState, ContainerView, FormerRun, TerminatedState } from './container-state.ts';
import { ContainerConfigError, type Container, type Launch } from './launch.ts';
import { startProbes, type ProbeTarget } from './probes.ts';

export interface ContainerRunnerOptions {
  container: Container;
  podUid: string;
  podName: string;
  /** Its last run under an earlier kubelet. */
  former: FormerRun | undefined;
  target: ProbeTarget;
  /** Folder of this container: its logs, and its working directory. */
  directory: string;
  gracePeriod: () => number;
  /** @throws ContainerConfigError if the container cannot be started as specified */
  launch: () => Launch;
  clock: Clock;
  onChange: () => void;
  onEvent: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** Milliseconds between attempts to start a container with a wrong configuration. */
const CONFIG_RETRY = 2_000;
/** Milliseconds: a run that was ready for this long does not count as failed. */
const WORKED_AFTER = 1_000;
/** First and longest delay between restarts, milliseconds. */
const MIN_BACK_OFF = 10_000;
const MAX_BACK_OFF = 300_000;

/** Runs one container: starts its program, probes it, and restarts it whenever it ends (`restartPolicy: Always`). */
export class ContainerRunner {
  readonly #options: ContainerRunnerOptions;
  readonly #stop = new AbortController();
  #process: ContainerProcess | undefined;
  #state: ContainerState = { type: 'waiting', reason: 'ContainerCreating' };
  #lastState: TerminatedState | undefined;
  #restartCount: number;
  /** Now, or under an earlier kubelet. */
  #hasRun: boolean;
  #started = false;
  #ready = false;
  /** Time of the first success of the readiness probe in this run. */
  #readyAt: number | undefined;
  /** Runs in a row that were not ready for WORKED_AFTER. */
  #failures = 0;
  #done = false;
  #log: ContainerLog | undefined;
  #previousLog: ContainerLog | undefined;

  constructor(options: ContainerRunnerOptions) {
    this.#options = options;
    const { former } = options;
    this.#restartCount = former?.restartCount ?? 0;
    this.#hasRun = former !== undefined;
    this.#lastState = former?.ended;
    if (former !== undefined) this.#log = ContainerLog.left(this.#logPath());
  }

  get view(): ContainerView {
    const { container } = this.#options;
    return {
      name: container.name,
      image: container.image ?? '',
      containerId: this.#hasRun ? this.#containerId() : undefined,
      state: this.#state,
      lastState: this.#lastState,
      restartCount: this.#restartCount,
      started: this.#started,
      ready: this.#ready,
      done: this.#done,
    };
  }

  /** The log of the current or of the previous run. */
  log(previous: boolean): ContainerLog | undefined {
    return previous ? this.#previousLog : this.#log;
  }

  /** Runs the container until it is stopped. */
  async run(): Promise<void> {
    while (!this.#stopping()) {
      const ended = await this.#runOnce();
      if (this.#stopping()) break;
      if (ended === undefined) await sleep(this.#options.clock, CONFIG_RETRY, this.#stop.signal);
      else await this.#backOff(ended);
    }
    this.#done = true;
    this.#options.onChange();
  }

  /** Ends the program: SIGTERM, and after `grace` milliseconds SIGKILL. `run` resolves when the program has ended. */
  async stop(grace: number): Promise<void> {
    if (!this.#stopping())
      this.#options.onEvent('Normal', 'Killing', `Stopping container ${this.#options.container.name}`);
    this.#stop.abort();
    await this.#kill(grace);
  }

  /** One run of the program; undefined if it was not started. */
  async #runOnce(): Promise<TerminatedState | undefined> {
    const { container, clock, directory, onEvent } = this.#options;
    let launch: Launch;
    try {
      await mkdir(directory, { recursive: true });
      launch = this.#options.launch();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const reason = error instanceof ContainerConfigError ? error.name : 'CreateContainerError';
      this.#become({ type: 'waiting', reason, message });
      onEvent('Warning', 'Failed', `Error: ${message}`);
      return undefined;
    }
    if (this.#stopping()) return undefined;
    if (this.#hasRun) this.#restartCount += 1;
    this.#hasRun = true;
    onEvent('Normal', 'Created', `Created container: ${container.name}`);
    const startedAt = clock.now();
    this.#readyAt = undefined;
    const exit = await this.#execute(launch, startedAt);
    this.#started = false;
    this.#ready = false;
    const ended: TerminatedState = {
      type: 'terminated',
      reason: exit.exitCode === 0 ? 'Completed' : 'Error',
      ...exit,
      startedAt,
      finishedAt: clock.now(),
      containerId: this.#containerId(),
    };
    this.#become(ended);
    return ended;
  }

  async #execute(launch: Launch, startedAt: number): Promise<{ exitCode: number; reason?: string; message?: string }> {
    const { container, directory, clock, onEvent } = this.#options;
    this.#previousLog = this.#log;
    const log = ContainerLog.begin(this.#logPath(), () => clock.now());
    this.#log = log;
    const probing = new AbortController();
    try {
      const running = await ContainerProcess.start({
        ...launch,
        directory,
        onLine: (line) => {
          log.append(line);
        },
      });
      this.#process = running;
      onEvent('Normal', 'Started', `Started container ${container.name}`);
      this.#probe(probing.signal);
      this.#become({ type: 'running', startedAt });
      // Stopped during the start.
      if (this.#stopping()) void this.#kill(this.#options.gracePeriod());
      return { exitCode: await running.exited };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log.append(message);
      onEvent('Warning', 'Failed', `Error: failed to start container "${container.name}": ${message}`);
      return { exitCode: 128, reason: 'StartError', message };
    } finally {
      probing.abort();
      this.#process = undefined;
      log.end();
    }
  }

  #probe(signal: AbortSignal): void {
    const { container, target, clock, onChange, onEvent } = this.#options;
    startProbes({
      container,
      target,
      clock,
      signal,
      onStarted: () => {
        this.#started = true;
        onChange();
      },
      onReady: (ready) => {
        this.#ready = ready;
        this.#readyAt ??= clock.now();
        onChange();
      },
      onUnhealthy: (kind, failure) => {
        onEvent('Warning', 'Unhealthy', `${kind} probe failed: ${failure}`);
      },
      onFailed: (kind) => {
        const message = `Container ${container.name} failed ${kind.toLowerCase()} probe, will be restarted`;
        onEvent('Normal', 'Killing', message);
        void this.#kill(this.#options.gracePeriod());
      },
    });
  }

  /**
   * Waits before a restart: not after a run that was ready for a second, nor after the first failed run, then 10 s,
   * 20 s, … 5 min. kubelet counts every run of less than ten minutes; here an agent that a user kills is back at once.
   */
  async #backOff(ended: TerminatedState): Promise<void> {
    const { container, podName, podUid, clock, onEvent } = this.#options;
    this.#lastState = ended;
    const worked = this.#readyAt !== undefined && ended.finishedAt - this.#readyAt >= WORKED_AFTER;
    this.#failures = worked ? 0 : this.#failures + 1;
    if (this.#failures < 2) return;
    const delay = Math.min(MIN_BACK_OFF * 2 ** (this.#failures - 2), MAX_BACK_OFF);
    const what = `container=${container.name} pod=${podName}(${podUid})`;
    const message = `back-off ${delay / 1000}s restarting failed ${what}`;
    this.#become({ type: 'waiting', reason: 'CrashLoopBackOff', message });
    onEvent('Warning', 'BackOff', `Back-off restarting failed ${what}`);
    await sleep(clock, delay, this.#stop.signal);
  }

  async #kill(grace: number): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    if (grace > 0) running.kill('SIGTERM');
    const gone = new AbortController();
    void running.exited.then(() => {
      gone.abort();
    });
    await sleep(this.#options.clock, grace, gone.signal);
    if (!gone.signal.aborted) running.kill('SIGKILL');
    await running.exited;
  }

  /** The logs of two runs are kept: the current and the previous one. */
  #logPath(): string {
    return join(this.#options.directory, `${this.#restartCount % 2}.log`);
  }

  #containerId(): string {
    const { container, podUid } = this.#options;
    return `sandbox://${podUid}/${container.name}/${this.#restartCount}`;
  }

  #stopping(): boolean {
    return this.#stop.signal.aborted;
  }

  #become(state: ContainerState): void {
    this.#state = state;
    this.#options.onChange();
  }
}
