import { freePortRange } from '../../harness/free-port.ts';
import { startSandbox } from '../../harness/sandbox/index.ts';
import { firstAnswer } from '../ipmi/first-answer.ts';
import { OURS, type Measurement } from '../measurement.ts';

const RUNS = 5;

/** From the start of the sandbox's process to the first answer on IPMI, and to its ready file. */
export async function measureSandboxStart(progress: (line: string) => void): Promise<Measurement[]> {
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
  return [
    { what: `${what} first answered IPMI request`, server: OURS, unit: 'ms', values: answered },
    { what: `${what} ready file`, server: OURS, unit: 'ms', values: ready },
  ];
}
