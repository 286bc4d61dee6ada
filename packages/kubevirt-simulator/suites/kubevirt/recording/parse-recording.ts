/** One scenario that was played on the real KubeVirt, in the order in which things happened. */
export interface Scenario {
  name: string;
  lines: Line[];
}

export type Line = Call | State | Remark;

/** Something that was asked, and the answer. `time` is in seconds, and names the line. */
export interface Call {
  kind: 'call';
  time: string;
  verb: 'CREATE' | 'PUT' | 'GET' | 'POST' | 'PATCH' | 'GUEST';
  /** `m`, `virtualmachines/m/start`, or what the guest does. */
  target: string;
  /** As it was sent; cut off where the recorder cut it off. */
  body: string;
  /** Code, and what was said beside it. */
  status: number;
  answer: string;
}

/** A VM, and then its instance, as they were seen. */
export interface State {
  kind: 'state';
  time: string;
  runStrategy: string;
  printableStatus: string;
  created: boolean;
  ready: boolean;
  /** The queue's actions: ``, `Start`, `Stop` or `Stop,Start`. */
  requests: string;
  /** `type=status/reason`, of those types that were recorded. */
  conditions: string[];
  /** Phase of the instance, or `404`. */
  instance: string;
  /** First digits of its uid. */
  uid: string | undefined;
}

/** What the recorder said, to itself or of something that it looked up. */
export interface Remark {
  kind: 'remark';
  time: string;
  text: string;
}

const CALL = /^\s*(\d+\.\d+) (CREATE|PUT|GET|POST|PATCH|GUEST) (.*?) -> (\d{3}) ?(.*)$/;
const STATE =
  /^\s*(\d+\.\d+)\s+rs=(\S+) ps=(\S+) created=(\w+) ready=(\w+) req=(\[.*?\]) cond=\[(.*?)\] vmi=(\w+)(?: uid=(\w+))?/;
const REMARK = /^\s*(\d+\.\d+)\s+(.*)$/;

/** Reads what the recorder printed; what `time` printed at the end is no part of it. Throws for a line of no known form. */
export function parseRecording(text: string): Scenario[] {
  const scenarios: Scenario[] = [];
  for (const line of text.split('\n')) {
    const title = /^===== (\w+)$/.exec(line)?.[1];
    if (title !== undefined) scenarios.push({ name: title, lines: [] });
    else if (line.trim() !== '' && !/^(real|user|sys)\s/.test(line)) {
      const scenario = scenarios.at(-1);
      if (scenario === undefined) throw new Error(`a line before the first scenario: ${line}`);
      scenario.lines.push(parseLine(line));
    }
  }
  return scenarios;
}

function parseLine(line: string): Line {
  const call = CALL.exec(line);
  if (call !== null) {
    const [, time = '', verb = '', rest = '', status = '', answer = ''] = call;
    return {
      kind: 'call',
      time,
      verb: verb as Call['verb'],
      ...splitTarget(verb, rest),
      status: Number(status),
      answer,
    };
  }
  const state = STATE.exec(line);
  if (state !== null) return parseState(state);
  const [, time, text] = REMARK.exec(line) ?? [];
  if (time === undefined || text === undefined) throw new Error(`a line of no known form: ${line}`);
  return { kind: 'remark', time, text };
}

/** `GUEST poweroff m` has its VM behind what it does; all else has a body there, or nothing. */
function splitTarget(verb: string, rest: string): Pick<Call, 'target' | 'body'> {
  const [, first = '', second = ''] = /^(\S+) ?(.*)$/.exec(rest) ?? [];
  return verb === 'GUEST' ? { target: second, body: first } : { target: first, body: second };
}

function parseState(match: RegExpExecArray): State {
  const [
    ,
    time = '',
    runStrategy = '',
    printableStatus = '',
    created,
    ready,
    requests = '',
    conditions = '',
    instance = '',
  ] = match;
  return {
    kind: 'state',
    time,
    runStrategy,
    printableStatus,
    created: created === 'true',
    ready: ready === 'true',
    requests: (JSON.parse(requests) as { action: string }[]).map(({ action }) => action).join(','),
    conditions: conditions === '' ? [] : conditions.split(','),
    instance,
    uid: match[9],
  };
}
