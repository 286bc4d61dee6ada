import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Histogram buckets of Go's controller-runtime, in seconds. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

/** Result of a reconcile, as labelled by Go's controller-runtime. */
export type ReconcileResult = 'success' | 'error' | 'requeue_after';

/** State of a queue when the metrics are read. */
export interface QueueState {
  /** Number of waiting names. */
  depth: number;
  /** Seconds since the start of work on each name in progress. */
  working: readonly number[];
}

/** The runtime's metrics in a separate Prometheus registry, with the names of Go's controller-runtime. */
export class Metrics {
  readonly registry = new Registry();
  readonly #queues = new Map<string, () => QueueState>();
  readonly #reconciles = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Total number of reconciliations per controller',
    labelNames: ['controller', 'result'],
    registers: [this.registry],
  });
  readonly #errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Total number of reconciliation errors per controller',
    labelNames: ['controller'],
    registers: [this.registry],
  });
  readonly #terminalErrors = new Counter({
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Total number of terminal reconciliation errors per controller',
    labelNames: ['controller'],
    registers: [this.registry],
  });
  readonly #reconcileTime = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of time per reconciliation per controller',
    labelNames: ['controller'],
    buckets: RECONCILE_BUCKETS,
    registers: [this.registry],
  });
  readonly #maxWorkers = new Gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Maximum number of concurrent reconciles per controller',
    labelNames: ['controller'],
    registers: [this.registry],
  });
  readonly #activeWorkers = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'Number of currently used workers per controller',
    labelNames: ['controller'],
    registers: [this.registry],
  });
  readonly #depth = new Gauge({
    name: 'workqueue_depth',
    help: 'Current depth of workqueue',
    labelNames: ['name', 'controller'],
    registers: [this.registry],
    collect: () => {
      for (const [name, read] of this.#queues) this.#depth.set(queueLabels(name), read().depth);
    },
  });
  readonly #adds = new Counter({
    name: 'workqueue_adds_total',
    help: 'Total number of adds handled by workqueue',
    labelNames: ['name', 'controller'],
    registers: [this.registry],
  });
  readonly #queueTime = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long in seconds an item stays in workqueue before being requested',
    labelNames: ['name', 'controller'],
    buckets: QUEUE_BUCKETS,
    registers: [this.registry],
  });
  readonly #workTime = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes',
    labelNames: ['name', 'controller'],
    buckets: QUEUE_BUCKETS,
    registers: [this.registry],
  });
  readonly #retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Total number of retries handled by workqueue',
    labelNames: ['name', 'controller'],
    registers: [this.registry],
  });
  readonly #unfinishedTime = new Gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'How many seconds of work is in progress that has not been observed by work_duration',
    labelNames: ['name', 'controller'],
    registers: [this.registry],
    collect: () => {
      for (const [name, read] of this.#queues) {
        this.#unfinishedTime.set(
          queueLabels(name),
          read().working.reduce((sum, seconds) => sum + seconds, 0),
        );
      }
    },
  });
  readonly #longestTime = new Gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How many seconds has the longest running processor for workqueue been running',
    labelNames: ['name', 'controller'],
    registers: [this.registry],
    collect: () => {
      for (const [name, read] of this.#queues) {
        this.#longestTime.set(queueLabels(name), Math.max(0, ...read().working));
      }
    },
  });
  readonly #leader = new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process is the leader of the lease: 1 leader, 0 not',
    labelNames: ['name'],
    registers: [this.registry],
  });
  readonly #requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host',
    labelNames: ['code', 'method', 'host'],
    registers: [this.registry],
  });
  readonly #lists = new Counter({
    name: 'reflector_lists_total',
    help: 'Total number of API lists done by the reflectors',
    labelNames: ['name'],
    registers: [this.registry],
  });
  readonly #watches = new Counter({
    name: 'reflector_watches_total',
    help: 'Total number of API watches done by the reflectors',
    labelNames: ['name'],
    registers: [this.registry],
  });

  /** Sets `leader_election_master_status` of a lease. */
  leading(lease: string, leader: boolean): void {
    this.#leader.set({ name: lease }, leader ? 1 : 0);
  }

  /** Observer for `onResponse` of KubeClient. `host` is the host of the API server. */
  clientObserver(host: string): (method: string, status: number) => void {
    return (method, status) => {
      this.#requests.inc({ code: status === 0 ? '<error>' : String(status), method, host });
    };
  }

  listed(plural: string): void {
    this.#lists.inc({ name: plural });
  }

  watched(plural: string): void {
    this.#watches.inc({ name: plural });
  }

  /**
   * Adds a Groundcrew gauge, evaluated when the metrics are read. Series that `read` no longer returns are removed.
   *
   * @param read returns each series once
   */
  gauge<Label extends string>(
    description: { name: string; help: string; labelNames: readonly Label[] },
    read: () => Iterable<{ labels: Record<Label, string>; value: number }>,
  ): void {
    const gauge = new Gauge({
      ...description,
      registers: [this.registry],
      collect: () => {
        gauge.reset();
        for (const { labels, value } of read()) gauge.set(labels, value);
      },
    });
  }

  /** Records a started controller with its number of workers. */
  controllerStarted(controller: string, workers: number): void {
    this.#maxWorkers.set({ controller }, workers);
    this.#activeWorkers.set({ controller }, 0);
    this.#errors.inc({ controller }, 0);
    this.#terminalErrors.inc({ controller }, 0);
    for (const result of ['success', 'error', 'requeue_after']) this.#reconciles.inc({ controller, result }, 0);
  }

  reconcileStarted(controller: string): void {
    this.#activeWorkers.inc({ controller });
  }

  reconcileEnded(controller: string, result: ReconcileResult, seconds: number): void {
    this.#activeWorkers.dec({ controller });
    this.#reconciles.inc({ controller, result });
    this.#reconcileTime.observe({ controller }, seconds);
    if (result === 'error') this.#errors.inc({ controller });
  }

  reconcileFailedForGood(controller: string): void {
    this.#terminalErrors.inc({ controller });
  }

  /** `read` is called whenever the metrics are read. */
  queueStarted(queue: string, read: () => QueueState): void {
    this.#queues.set(queue, read);
    this.#adds.inc(queueLabels(queue), 0);
    this.#retries.inc(queueLabels(queue), 0);
  }

  queueAdded(queue: string): void {
    this.#adds.inc(queueLabels(queue));
  }

  queueTaken(queue: string, waitedSeconds: number): void {
    this.#queueTime.observe(queueLabels(queue), waitedSeconds);
  }

  queueDone(queue: string, workedSeconds: number): void {
    this.#workTime.observe(queueLabels(queue), workedSeconds);
  }

  queueRetried(queue: string): void {
    this.#retries.inc(queueLabels(queue));
  }

  /** The metrics in Prometheus text format. */
  async text(): Promise<string> {
    return await this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }
}

function queueLabels(name: string): { name: string; controller: string } {
  return { name, controller: name };
}
