import { freePortRange } from '../harness/free-port.ts';
import { startSandbox } from '../harness/sandbox/index.ts';
import { firstAnswer } from './ipmi/contender.ts';
import { OURS, type Progress, type Section } from './measurement.ts';

const RUNS = 5;

/** Measures the time from the start of the sandbox to its first IPMI answer, and to its ready file. */
export async function measureSandbox(progress: Progress): Promise<Section> {
  const answered: number[] = [];
  const ready: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    progress(`sandbox start ${run + 1} of ${RUNS}`);
    const port = await freePortRange(2);
    const stop = new AbortController();
    const started = performance.now();
    const answer = firstAnswer(port, stop.signal).then((time) => {
      answered.push(time - started);
    });
    const sandbox = await startSandbox({ vms: 2, ipmiPort: port });
    ready.push(performance.now() - started);
    await answer;
    stop.abort();
    await sandbox.process.stop('SIGINT');
    await sandbox.close();
  }
  const what = 'sandbox of 2 VMs: process start to';
  const measurements = [
    { what: `${what} first answered IPMI request`, server: OURS, unit: 'ms' as const, values: answered },
    { what: `${what} ready file`, server: OURS, unit: 'ms' as const, values: ready },
  ];
  return { title: 'Sandbox', introduction: [], inputs: [], measurements };
}
