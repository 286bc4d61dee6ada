import { inTurn } from '../../harness/in-turn.ts';
import type { PowerClient } from './clients/power-client.ts';

/** One VM in the storm; times are those of `performance.now()`. */
export interface Attempt {
  vm: string;
  client: PowerClient;
  /** Whether the machine is on before the storm, which cycles its power. */
  isCycled: boolean;
  /** When its boot device was set; undefined: it was not. */
  prepared?: number;
  /** When the client sent the power command. */
  requested?: number;
  /** When the client had a successful answer. */
  answered?: number;
  /** Whether the BMC said at the end that the machine is on. */
  isOn?: boolean;
  errors: { phase: Phase; reason: string }[];
}

export type Phase = 'boot device' | 'power on' | 'power status';

/** Clients that read the power status at the same time. */
const READERS = 32;

/** Sets the boot device of all VMs at once. */
export async function prepareAll(attempts: readonly Attempt[]): Promise<void> {
  await Promise.all(
    attempts.map((attempt) =>
      noting(attempt, 'boot device', async () => {
        await attempt.client.setPxe();
        attempt.prepared = performance.now();
      }),
    ),
  );
}

/** Powers all VMs at once on that are to be on before the storm. */
export async function powerOnBefore(attempts: readonly Attempt[]): Promise<void> {
  const those = attempts.filter(({ isCycled }) => isCycled);
  await Promise.all(those.map((attempt) => noting(attempt, 'power on', () => attempt.client.powerOn())));
}

/** Powers all VMs on at once, or cycles their power. @param hasStarted whether a VM was started in the storm */
export async function powerOnAll(
  attempts: readonly Attempt[],
  hasStarted: (vm: string) => Promise<boolean>,
): Promise<void> {
  await Promise.all(
    attempts.map((attempt) =>
      noting(attempt, 'power on', async () => {
        attempt.requested = performance.now();
        if (attempt.isCycled) await attempt.client.powerCycle(() => hasStarted(attempt.vm));
        else await attempt.client.powerOn();
        attempt.answered = performance.now();
      }),
    ),
  );
}

/** Reads the power status of all VMs, and ends the clients. */
export async function checkAll(attempts: readonly Attempt[]): Promise<void> {
  await inTurn(attempts, READERS, async (attempt) => {
    await noting(attempt, 'power status', async () => {
      attempt.isOn = await attempt.client.isOn();
    });
    await attempt.client.close();
  });
}

async function noting(attempt: Attempt, phase: Phase, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    attempt.errors.push({ phase, reason: error instanceof Error ? error.message : String(error) });
  }
}
