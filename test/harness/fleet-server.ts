import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from './process.ts';
import { repository } from './repository.ts';

/** A running `groundcrew web`. */
export interface FleetServer {
  /** The newest link that was printed. */
  link(): string;
  readonly pid: number;
  /** Ends it as Ctrl-C does. */
  stop(): Promise<void>;
}

/** Starts `groundcrew web` as a user does. @param args more of its arguments */
export async function startFleetServer(kubeconfig: string, args: readonly string[] = []): Promise<FleetServer> {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-web-'));
  const child = new ServerProcess({
    command: process.execPath,
    args: [join(repository, 'cli/main.ts'), 'web', `--kubeconfig=${kubeconfig}`, ...args],
    cwd: repository,
    env: { ...process.env, NO_COLOR: '1' },
    log: join(folder, 'output.log'),
  });
  const link = (): string => newestLink(child.logTail(Infinity));
  child.start();
  await child.waitUntil(() => Promise.resolve(void link()), 20_000);
  return {
    link,
    get pid() {
      if (child.pid === undefined) throw new Error(`groundcrew web has ended:\n${child.logTail()}`);
      return child.pid;
    },
    stop: async () => {
      await child.stop('SIGINT');
      await child.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @throws Error if the output has no link */
export function newestLink(output: string): string {
  const found = output.match(/http:\S+#key=\S+/g)?.at(-1);
  if (found === undefined) throw new Error('no link yet');
  return found;
}
