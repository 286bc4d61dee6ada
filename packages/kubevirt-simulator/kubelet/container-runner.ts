import { join } from 'node:path';
import { sleep, type Clock } from '@groundcrew/controller-runtime';
import { ContainerLog } from './container-log.ts';
import { ContainerProcess, type Exit } from './container-process.ts';
import type { ContainerState, ContainerView, TerminatedState } from './container-state.ts';
import { ContainerConfigError, type Container } from './environment.ts';
import type { FormerRun } from './former-run.ts';
import { watchContainer } from './container-probes.ts';
import type { Launch } from './launch.ts';
import type { ProbeTarget } from './probe.ts';
import { RestartBackoff } from './restart-backoff.ts';

export interface ContainerRunnerOptions {
  container: Container;
  podUid: string;
  podName: string;
  restartPolicy: string;
  /** What came of it under an earlier kubelet, if it ran there. */
  former: FormerRun | undefined;
  target: ProbeTarget;
  /** Folder of this container: its logs, and its working directory. */
  directory: string;
  gracePeriod: () => number;
  /** @throws ContainerConfigError where something that the container names is not there */
  launch: () => Promise<Launch>;
  clock: Clock;
  onChange: () => void;
  onEvent: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** Milliseconds between attempts to start a container whose configuration is not there. */
const CONFIG_RETRY = 2_000;

/** Runs one container: starts its program, watches over it with its probes, and starts it again as its pod's policy says. */
export class ContainerRunner {
  readonly #options: ContainerRunnerOptions;
  readonly #backoff = new RestartBackoff();
  readonly #stop = new AbortController();
  #process: ContainerProcess | undefined;
  #state: ContainerState = { type: 'waiting', reason: 'ContainerCreating' };
  #lastState: TerminatedState | undefined;
  #restartCount: number;
  /** Now, or under an earlier kubelet. */
  #hasRun: boolean;
  #started = false;
  /** Since when it is ready, and how long it was before that in the present run; milliseconds. */
  #readySince: number | undefined;
  #readyFor = 0;
  /** A signal ended the present run: this kubelet's, or somebody's. */
  #killed = false;
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
      ready: this.#readySince !== undefined,
      done: this.#done,
    };
  }

  /** What the present run, or the one before it, has written. */
  log(previous: boolean): ContainerLog | undefined {
    return previous ? this.#previousLog : this.#log;
  }

  /** Runs the container until it is done or stopped. */
  async run(): Promise<void> {
    const { former } = this.#options;
    if (former !== undefined && !this.#restarts(former.ended.exitCode)) {
      this.#lastState = undefined;
      this.#state = former.ended;
      this.#done = true;
      this.#options.onChange();
      return;
    }
    while (!this.#stopping()) {
      const ended = await this.#runOnce();
      if (ended === undefined) {
        await sleep(this.#options.clock, CONFIG_RETRY, this.#stop.signal);
        continue;
      }
      if (this.#stopping() || !this.#restarts(ended.exitCode)) break;
      await this.#wait(ended);
    }
    this.#done = true;
    this.#options.onChange();
  }

  /** Ends the program: SIGTERM, and after `grace` milliseconds SIGKILL. `run` resolves when it is gone. */
  async stop(grace: number): Promise<void> {
    if (!this.#stopping())
      this.#options.onEvent('Normal', 'Killing', `Stopping container ${this.#options.container.name}`);
    this.#stop.abort();
    await this.#kill(grace);
  }

  /** One run of the program; undefined where it was not even tried. */
  async #runOnce(): Promise<TerminatedState | undefined> {
    const { container, clock, onEvent } = this.#options;
    let launch: Launch;
    try {
      launch = await this.#options.launch();
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
    this.#readyFor = 0;
    this.#killed = false;
    const exit = await this.#execute(launch, startedAt);
    this.#killed ||= isKilled(exit);
    this.#started = false;
    this.#becomeReady(false);
    const ended: TerminatedState = {
      type: 'terminated',
      exitCode: exit.exitCode,
      reason: 'reason' in exit ? exit.reason : exit.exitCode === 0 ? 'Completed' : 'Error',
      ...('message' in exit ? { message: exit.message } : {}),
      startedAt,
      finishedAt: clock.now(),
      containerId: this.#containerId(),
    };
    this.#become(ended);
    return ended;
  }

  async #execute(
    launch: Launch,
    startedAt: number,
  ): Promise<Exit | { exitCode: number; reason: string; message: string }> {
    const { container, directory, clock, onEvent } = this.#options;
    this.#previousLog = this.#log;
    const log = ContainerLog.begin(this.#logPath(), () => clock.now());
    this.#log = log;
    const watch = new AbortController();
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
      this.#watchOver(watch.signal);
      this.#become({ type: 'running', startedAt });
      // Stopped while it was being started.
      if (this.#stopping()) void this.#kill(this.#options.gracePeriod());
      return await running.exited;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log.append(message);
      onEvent('Warning', 'Failed', `Error: failed to start container "${container.name}": ${message}`);
      return { exitCode: 128, reason: 'StartError', message };
    } finally {
      watch.abort();
      this.#process = undefined;
      log.end();
    }
  }

  #watchOver(signal: AbortSignal): void {
    const { container, target, clock, onChange, onEvent } = this.#options;
    watchContainer({
      container,
      target,
      clock,
      signal,
      onStarted: () => {
        this.#started = true;
        onChange();
      },
      onReady: (ready) => {
        this.#becomeReady(ready);
        onChange();
      },
      onUnhealthy: (kind, failure) => {
        onEvent('Warning', 'Unhealthy', `${kind} probe failed: ${failure}`);
      },
      onGivenUp: (kind) => {
        const message = `Container ${container.name} failed ${kind.toLowerCase()} probe, will be restarted`;
        onEvent('Normal', 'Killing', message);
        void this.#kill(this.#options.gracePeriod());
      },
    });
  }

  async #wait(ended: TerminatedState): Promise<void> {
    const { container, podName, podUid, clock, onEvent } = this.#options;
    this.#lastState = ended;
    const ran = ended.finishedAt - ended.startedAt;
    const delay = this.#backoff.next({ ran, ready: this.#readyFor, killed: this.#killed });
    if (delay === 0) return;
    const message = `back-off ${delay / 1000}s restarting failed container=${container.name} pod=${podName}(${podUid})`;
    this.#become({ type: 'waiting', reason: 'CrashLoopBackOff', message });
    onEvent(
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${container.name} in pod ${podName}(${podUid})`,
    );
    await sleep(clock, delay, this.#stop.signal);
  }

  async #kill(grace: number): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    this.#killed = true;
    const { clock } = this.#options;
    if (grace > 0) running.kill('SIGTERM');
    const gone = new AbortController();
    void running.exited.then(() => {
      gone.abort();
    });
    await sleep(clock, grace, gone.signal);
    if (!gone.signal.aborted) running.kill('SIGKILL');
    await running.exited;
  }

  /** Two runs' logs are kept: this one's, and the one's before it. */
  #logPath(): string {
    return join(this.#options.directory, `${this.#restartCount % 2}.log`);
  }

  #containerId(): string {
    const { container, podUid } = this.#options;
    return `sandbox://${podUid}/${container.name}/${this.#restartCount}`;
  }

  #restarts(exitCode: number): boolean {
    const { restartPolicy } = this.#options;
    return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
  }

  #stopping(): boolean {
    return this.#stop.signal.aborted;
  }

  #becomeReady(ready: boolean): void {
    const now = this.#options.clock.now();
    if (this.#readySince !== undefined) this.#readyFor += now - this.#readySince;
    this.#readySince = ready ? now : undefined;
  }

  #become(state: ContainerState): void {
    this.#state = state;
    this.#options.onChange();
  }
}

const FROM_OUTSIDE: ReadonlySet<string | undefined> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/** Codes with which a program ends that heeds SIGTERM or SIGINT: its own success, or what a shell would say. */
const HEEDED: readonly number[] = [0, 130, 143];

/** Whether somebody ended it by a signal, as far as its end can tell. A program that heeds one hides it behind its exit code. */
function isKilled(exit: { exitCode: number; signal?: NodeJS.Signals | undefined }): boolean {
  return FROM_OUTSIDE.has(exit.signal) || HEEDED.includes(exit.exitCode);
}
