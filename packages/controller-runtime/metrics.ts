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

const CONTROLLER = ['controller'] as const;
const QUEUE = ['name', 'controller'] as const;
const NAME = ['name'] as const;

/** The runtime's metrics in a separate Prometheus registry, with the names of Go's controller-runtime. */
export class Metrics {
  readonly registry = new Registry();
  readonly #queues = new Map<string, () => QueueState>();
  readonly #reconciles = this.#counter(
    'controller_runtime_reconcile_total',
    'Total number of reconciliations per controller',
    ['controller', 'result'],
  );
  readonly #errors = this.#counter(
    'controller_runtime_reconcile_errors_total',
    'Total number of reconciliation errors per controller',
    CONTROLLER,
  );
  readonly #terminalErrors = this.#counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Total number of terminal reconciliation errors per controller',
    CONTROLLER,
  );
  readonly #reconcileTime = this.#histogram(
    'controller_runtime_reconcile_time_seconds',
    'Length of time per reconciliation per controller',
    CONTROLLER,
    RECONCILE_BUCKETS,
  );
  readonly #maxWorkers = this.#gauge(
    'controller_runtime_max_concurrent_reconciles',
    'Maximum number of concurrent reconciles per controller',
    CONTROLLER,
  );
  readonly #activeWorkers = this.#gauge(
    'controller_runtime_active_workers',
    'Number of currently used workers per controller',
    CONTROLLER,
  );
  readonly #adds = this.#counter('workqueue_adds_total', 'Total number of adds handled by workqueue', QUEUE);
  readonly #queueTime = this.#histogram(
    'workqueue_queue_duration_seconds',
    'How long in seconds an item stays in workqueue before being requested',
    QUEUE,
    QUEUE_BUCKETS,
  );
  readonly #workTime = this.#histogram(
    'workqueue_work_duration_seconds',
    'How long in seconds processing an item from workqueue takes',
    QUEUE,
    QUEUE_BUCKETS,
  );
  readonly #retries = this.#counter('workqueue_retries_total', 'Total number of retries handled by workqueue', QUEUE);
  readonly #leader = this.#gauge(
    'leader_election_master_status',
    'Whether this process is the leader of the lease: 1 leader, 0 not',
    NAME,
  );
  readonly #requests = this.#counter(
    'rest_client_requests_total',
    'Number of HTTP requests, partitioned by status code, method, and host',
    ['code', 'method', 'host'],
  );
  readonly #lists = this.#counter('reflector_lists_total', 'Total number of API lists done by the reflectors', NAME);
  readonly #watches = this.#counter(
    'reflector_watches_total',
    'Total number of API watches done by the reflectors',
    NAME,
  );

  /** Those of Groundcrew, besides the registry's. */
  readonly gauges: { name: string; labelNames: readonly string[]; render: () => Iterable<string> }[] = [];

  constructor() {
    this.#processMetrics();
    this.#queueGauge('workqueue_depth', 'Current depth of workqueue', ({ depth }) => depth);
    this.#queueGauge(
      'workqueue_unfinished_work_seconds',
      'How many seconds of work is in progress that has not been observed by work_duration',
      ({ working }) => working.reduce((sum, seconds) => sum + seconds, 0),
    );
    this.#queueGauge(
      'workqueue_longest_running_processor_seconds',
      'How many seconds has the longest running processor for workqueue been running',
      ({ working }) => Math.max(0, ...working),
    );
  }

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
    this.gauges.push({ ...description, render: () => renderedGauge(description, read()) });
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

  /** The metrics in Prometheus text format, in parts: those of 10,000 BMCs have 8 MB. */
  async *parts(): AsyncGenerator<string, void> {
    yield await this.registry.metrics();
    for (const { render } of this.gauges) {
      yield '\n';
      yield* render();
    }
  }

  /** The metrics in Prometheus text format. */
  async text(): Promise<string> {
    let text = '';
    for await (const part of this.parts()) text += part;
    return text;
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** Not prom-client's own defaults: they are forty metrics of Node, with timers and observers. */
  #processMetrics(): void {
    const registers = [this.registry];
    new Gauge({
      ...{ name: 'process_resident_memory_bytes', help: 'Resident memory size in bytes', registers },
      collect() {
        this.set(process.memoryUsage.rss());
      },
    });
    new Gauge({
      ...{
        name: 'process_start_time_seconds',
        help: 'Start time of the process since unix epoch in seconds',
        registers,
      },
    }).set(Math.round(Date.now() / 1000 - process.uptime()));
    new Counter({
      ...{ name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds', registers },
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
  }

  #queueGauge(name: string, help: string, valueOf: (state: QueueState) => number): void {
    const gauge = new Gauge({
      ...{ name, help, labelNames: QUEUE, registers: [this.registry] },
      collect: () => {
        for (const [queue, read] of this.#queues) gauge.set(queueLabels(queue), valueOf(read()));
      },
    });
  }
}

/** Characters of a part. */
const PART = 65_536;

/** A gauge in Prometheus text format, in parts. prom-client would keep each series in memory between two readings. */
function* renderedGauge<Label extends string>(
  { name, help, labelNames }: { name: string; help: string; labelNames: readonly Label[] },
  series: Iterable<{ labels: Record<Label, string>; value: number }>,
): Generator<string, void> {
  const heads = labelNames.map((label, at) => ({ label, head: `${at === 0 ? `${name}{` : '",'}${label}="` }));
  const end = labelNames.length === 0 ? name : '"}';
  let part = `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`;
  for (const { labels, value } of series) {
    for (const { label, head } of heads) part += head + escaped(labels[label]);
    part += `${end} ${value}\n`;
    if (part.length < PART) continue;
    yield part;
    part = '';
  }
  yield part;
}

function escaped(value: string): string {
  if (!/[\\\n"]/.test(value)) return value; // almost all
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function queueLabels(name: string): { name: string; controller: string } {
  return { name, controller: name };
}
